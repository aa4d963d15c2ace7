// Words that DuckDB understands and Trino does not, or understands differently, and what to write instead.
const QUANTILE =
  'exact quantiles are not shared and approximate ones differ by .2 %: rank the rows and pick one';
const TIME_IS_INPUT = 'time is an input: use @start, @end, @now';
const DUCKDB_ONLY = 'only DuckDB has it';

const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bqualify\b/i, 'number the rows in a subquery and filter outside'],
  [/::/, 'write cast(x as type)'],
  [/\bgroup\s+by\s+all\b/i, 'name the columns'],
  [/\border\s+by\s+all\b/i, 'name the columns'],
  [/\*\s*(exclude|except|replace|rename)\b/i, 'name the columns'],
  [/\bon\s+conflict\b/i, 'kinds `merge` and `window` replace rows'],
  [/\$\d+|\?(?=\s*(?:,|\)|$))/, 'the parameters are @start, @end, @now'],
  [/\bread_\w+\s*\(/i, 'read landing tables; files are bound to them'],
  [/\bepoch\w*\s*\(/i, 'times are Unix seconds already; else to_unixtime(t)'],
  [
    /\b(strftime|strptime|try_strptime)\s*\(/i,
    'compute with integers: a day is t - t % 86400; text from cast(cast(from_unixtime(t) as timestamp) as varchar)',
  ],
  [/\basof\b/i, 'use a window function over both inputs (union all, last_value … ignore nulls)'],
  [/\b(quantile\w*|percentile\w*|approx_quantile|approx_percentile|median|mad|mode)\s*\(/i, QUANTILE],
  [/\bnow\s*\(/i, TIME_IS_INPUT],
  [/\b(current_timestamp|current_date|current_time|localtimestamp|localtime)\b/i, TIME_IS_INPUT],
  [/\b(today|get_current_timestamp|transaction_timestamp)\s*\(/i, TIME_IS_INPUT],
  [/\b(random|rand|uuid|gen_random_uuid|setseed)\s*\(/i, 'the same inputs must give the same bytes'],
  [/\b(list|struct|map)_\w+\s*\(/i, `${DUCKDB_ONLY}: use Trino's names (array_…, row, map_from_entries)`],
  [
    /\b(list|string_agg|group_concat|listagg|first|last|any_value|arg_max|arg_min|len|unixepoch|generate_series|range|ifnull|isnan|isinf|isfinite|make_timestamp|printf|str_split|string_split|json_extract_string|regexp_matches|hash|md5)\s*\(/i,
    `${DUCKDB_ONLY}, or means something else on Trino: array_agg … order by, max_by, min_by, length, sequence, coalesce, is_nan, split, json_extract_scalar, regexp_like`,
  ],
  [/\blambda\b/i, 'neither arrow is shared: unnest, filter, aggregate again'],
  [/->/, 'neither arrow is shared: unnest and filter; json_extract_scalar for JSON'],
  [/\bcount_if\s*\(/i, 'over only nulls DuckDB returns null and Trino 0: use count(*) filter (where …)'],
  [/\b(ilike|similar\s+to|glob)\b/i, 'use lower(x) like …'],
  [/\bpivot\b|\bunpivot\b|\busing\s+sample\b|\bpositional\s+join\b/i, DUCKDB_ONLY],
  [/\/\//, 'write floor(cast(a as double) / b), or (a - a % b) / b in integers'],
  [/\binterval\b/i, 'times are integers: add seconds'],
];

const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** The words of a query that only DuckDB understands: `line 3: "a::b" …: write …`. */
export function bannedWords(sql: string): string[] {
  const bare = sql.replace(TOKEN, (token) => token.replace(/[^\n]/g, ' '));
  return BANNED.flatMap(([pattern, instead]) => {
    const found = pattern.exec(bare);
    if (found === null) return [];
    const line = bare.slice(0, found.index).split('\n').length;
    return [`line ${line}: "${found[0].trim()}": ${instead}`];
  });
}
