//! What a file that is not plain text shows: images, PDF pages, notebook cells.
