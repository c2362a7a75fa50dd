"""The page for people who answer for a release: what is measured in SQL, drawn as static SVG, and set in one HTML file."""
