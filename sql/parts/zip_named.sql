-- zip_named(): whether a column is called so that it holds zip codes.

@names_say(@named(postal code))
