// Generated tables inside hand-written pages: everything between `<!-- table: name -->` and the next `<!-- end -->`.

const REGION = /(<!-- table: ([a-z0-9-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Names of the tables in a page. */
export const tablesIn = (page: string): string[] => [...page.matchAll(REGION)].map(([, , name = '']) => name);

/** The page with every table filled in from `tables`. @throws Error for a name that is not in `tables` */
export function fillTables(page: string, tables: Readonly<Record<string, () => string>>): string {
  return page.replace(REGION, (_, start: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined)
      throw new Error(`There is no table ${name}; the tables are ${Object.keys(tables).join(', ')}`);
    return `${start}${table()}${end}`;
  });
}
