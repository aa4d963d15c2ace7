// Commands that read a dataset with the tools of others, to paste. A test runs those that run on any machine.

export interface DatasetAddress {
  /** Address of a file of the dataset, by the ending of its name. */
  readonly url: (form: 'csv' | 'parquet') => string;
  readonly id: string;
  /** Whether a request needs a key, which the commands call `KEY`. */
  readonly needsKey: boolean;
}

/** The name of a tool, and its command. */
export type DatasetCommand = readonly [tool: string, command: string];

export function datasetCommands({ id, url, needsKey }: DatasetAddress): readonly DatasetCommand[] {
  const options = needsKey ? ', storage_options={"Authorization": f"Bearer {KEY}"}' : '';
  const secret = needsKey ? "CREATE SECRET (TYPE http, BEARER_TOKEN 'rk_live_…');\n" : '';
  const source = needsKey
    ? `url("${url('csv')}", headers = c(Authorization = paste("Bearer", KEY)))`
    : `"${url('csv')}"`;
  // polars sends no header to an address, so a file that needs one is fetched first.
  const polars = needsKey
    ? `import io, polars, urllib.request\nrequest = urllib.request.Request("${url('parquet')}", headers={"Authorization": f"Bearer {KEY}"})\npolars.read_parquet(io.BytesIO(urllib.request.urlopen(request).read()))`
    : `import polars\npolars.read_parquet("${url('parquet')}")`;
  return [
    [
      'curl',
      `curl ${needsKey ? '-H "Authorization: Bearer $KEY" ' : ''}-o ${id}.parquet '${url('parquet')}'`,
    ],
    ['DuckDB', `${secret}FROM read_parquet('${url('parquet')}');`],
    ['pandas', `import pandas\npandas.read_csv("${url('csv')}"${options})`],
    ['polars', polars],
    ['R', `read.csv(${source})`],
    // Spreadsheets send no key.
    ...(needsKey ? [] : [['Sheets', `=IMPORTDATA("${url('csv')}")`] as const]),
  ];
}
