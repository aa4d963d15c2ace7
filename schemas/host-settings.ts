// What is a job host's own, and what it shares with others.
import { DATABASE, PATH } from './setting-forms.ts';
import type { SpecOf } from './setting-spec.ts';

export const HOST_SETTINGS: readonly SpecOf<'work_dir' | 'lease_store'>[] = [
  {
    name: 'work_dir',
    kind: 'string',
    form: PATH,
    default: '{data_dir}',
    help: 'Folder of a job host for what it can rebuild: the warehouse and temporary files; on a local disk, and its own where several hosts share `DATA_DIR`',
  },
  {
    name: 'lease_store',
    kind: 'string',
    form: DATABASE,
    default: '',
    help: 'Where job hosts that share `DATA_DIR` agree which of them leads: postgres://user@host/database, the database of `OPS_STORE`; empty for one host',
  },
];
