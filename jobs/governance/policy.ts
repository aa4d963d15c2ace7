// The governance part of the policy as a table, in seconds.
import { definePolicyTable } from '../define.ts';

const DAY_SECONDS = 86_400;

export const governancePolicy = definePolicyTable({
  name: 'governance_policy',
  columns: [
    { name: 'participation_s', type: 'BIGINT' },
    { name: 'silence_s', type: 'BIGINT' },
  ],
  rows: ({ governance }) => [
    [governance.participation_days * DAY_SECONDS, governance.silence_days * DAY_SECONDS],
  ],
});
