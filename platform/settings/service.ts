// What the service runs on: data, addresses, log, traces.
import { ADDRESS, PATH, settingGroup } from './setting-spec.ts';

export const SERVICE = settingGroup('The service', [
  {
    name: 'profile',
    kind: ['demo', 'files', 'live'],
    default: 'demo',
    help: 'Where data comes from: `demo` generates a demo world, `files` reads the sources of the configuration file, `live` also fetches public sources',
  },
  {
    name: 'data_dir',
    kind: 'string',
    form: PATH,
    default: 'var',
    help: 'Folder for everything produced at run time',
  },
  {
    name: 'adopt_config',
    kind: 'boolean',
    default: 'false',
    help: 'Go on with another configuration file than the one that the data folder is written with, with none, or from profile `files` to `live` or back, and remember that',
  },
  {
    name: 'file_access',
    kind: ['owner', 'group'],
    default: 'owner',
    help: 'Who may read the files of the data folder, apart from an exported mirror: `group` lets a server run as another user of the same group',
  },
  {
    name: 'host',
    kind: 'string',
    form: { pattern: '\\S+', expected: 'an address or a host name' },
    default: '127.0.0.1',
    help: 'Address the server listens on',
  },
  {
    name: 'port',
    kind: 'integer',
    min: 0,
    max: 65535,
    default: '8080',
    help: 'Port the server listens on; 0 picks a free one',
  },
  {
    name: 'log_level',
    kind: ['silent', 'error', 'warn', 'info', 'debug'],
    default: 'info',
    help: 'Minimum log level',
  },
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
