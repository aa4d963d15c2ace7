// The policy of the overall score (decisions 1, 2) and its tables: constants, penalties, and the components with their formulas, which are
// generated from the constants in force and published with the numbers.
import { OVERALL_COMPONENTS } from '../../../schemas/overall.ts';
import { definePolicy, oneRow } from '../../define/policy/define.ts';
import { FORMULAS, overallFormula, SEVERITIES } from './formulas.ts';
import { basisPoints, overallContradictions } from './policy-contradictions.ts';
import { overallSchema } from './policy-schema.ts';

export const overallPolicy = definePolicy({
  section: 'overall',
  schema: overallSchema,
  contradictions: overallContradictions,
  tables: [
    oneRow('overall', overallSchema, {
      columns: {
        min_weight_bps: 'BIGINT',
        formula: 'VARCHAR',
        methodology_version: 'VARCHAR',
        policy_version: 'VARCHAR',
      },
      rows: (overall, { methodology_version, policy_version }) => [
        {
          min_weight_bps: basisPoints(overall.min_weight),
          formula: overallFormula(overall),
          methodology_version,
          policy_version,
        },
      ],
    }),
    {
      name: 'overall_penalty',
      columns: { fact: 'VARCHAR', severity: 'VARCHAR', penalty: 'DOUBLE' },
      rows: ({ security }) =>
        SEVERITIES.flatMap((severity) => [
          { fact: 'incident', severity, penalty: security.incident_penalties[severity] },
          { fact: 'parameter_flag', severity, penalty: security.flag_penalties[severity] },
        ]),
    },
    {
      name: 'overall_component',
      columns: { component: 'VARCHAR', place: 'BIGINT', weight_bps: 'BIGINT', formula: 'VARCHAR' },
      rows: (overall) =>
        OVERALL_COMPONENTS.map((component, index) => ({
          component,
          place: index + 1,
          weight_bps: basisPoints(overall.weights[component]),
          formula: FORMULAS[component](overall),
        })),
    },
  ],
});
