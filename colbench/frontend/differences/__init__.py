"""From two measured pages to what a person would say about the difference: colours, parts of a page, remarks."""
