// `searchAll` requests the pages of `search` one after another, so its result can be longer than one reply.
(host, rows, globals) => {
  "use strict";
  if (globals.search === undefined || globals.searchAll === undefined) return {};
  const MORE = "{CONTINUE}";
  let asked = 0;
  const searchAll = (...said) => {
    const { maxTokensPerPage = 20000, maxPages = 50, ...query } = host.bind("searchAll", said);
    asked += 1;
    const session = `${host.session}-all-${asked}`;
    const pages = [];
    for (;;) {
      const page = host.call("search", { ...query, limit: 1000, maxTokens: maxTokensPerPage, session });
      pages.push(page);
      if (!page.includes(MORE)) return pages.join("\n\n");
      if (pages.length >= maxPages) {
        pages.push(`[Warning: maxPages (${maxPages}) is reached; some results are left out.]`);
        return pages.join("\n\n");
      }
    }
  };
  return { searchAll };
}
