-- by_looks(form): the rule that a column breaks by the form of most of its texts.

{{''paragraph'': (<form>).paragraph, ''cells'': CASE WHEN texts >= @constant(LEAST_TEXTS) THEN shown END, ''reason'': (<form>).reason, ''order'': 2}},
