// Browsers let no page search when it was opened as a file: the box is shown where there is a server.
if (location.protocol === "file:") document.documentElement.classList.add("from-file");
