// Long tables get a field that leaves only the rows with what is typed.
for (const table of document.querySelectorAll("article table")) {
  const box = table.parentElement;
  if (table.scrollWidth > box.clientWidth) table.dataset.wide = "";
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 30) continue;
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const field = document.createElement("input");
  const count = document.createElement("span");
  field.type = "search";
  field.placeholder = "Find in this table";
  field.setAttribute("aria-label", field.placeholder);
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      const fits = words.every((word) => texts[i].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  field.addEventListener("input", show);
  const bar = document.createElement("div");
  bar.className = "table-search";
  bar.append(field, count);
  table.before(bar);
  show();
}
