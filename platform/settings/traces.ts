// Spans for a collector.
import { ADDRESS } from './forms.ts';
import { settingGroup } from './setting-spec.ts';

export const TRACES = settingGroup('Traces', [
  {
    name: 'traces_url',
    kind: 'string',
    form: ADDRESS,
    default: '',
    help: 'Where both programs send spans: an OTLP/HTTP endpoint that takes JSON, such as `http://127.0.0.1:4318/v1/traces`; empty for none. Headers, such as a key, are `TRACES_HEADERS` of the environment, as `name=value,name=value` with percent-encoded values',
  },
  {
    name: 'traces_ratio',
    kind: 'number',
    min: 0,
    max: 1,
    default: '0.05',
    help: 'Fraction of HTTP requests that are recorded as spans; runs, events and deliveries always are',
  },
]);
