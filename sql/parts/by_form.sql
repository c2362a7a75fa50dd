-- by_form(paragraph; reason; cells): the rule that the cells of a column break.

{{''paragraph'': ''<paragraph>'', ''cells'': <cells>, ''reason'': <reason>, ''order'': 1}},
