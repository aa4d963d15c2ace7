// The registry of layer-2 networks (decisions 8, 9): which networks are served, and the facts that no chain reports daily, each with its
// source and the day on which it was checked. A fact that is missing here is published as null.
import { LAYER2_FACTS } from '../../../schemas/layer2.ts';
import { definePolicy, Strict, Type } from '../../define/policy/define.ts';
import { LAYER2_REGISTRY } from './registry-facts.ts';

const NetworkName = (description: string) =>
  Type.String({ pattern: '^[a-z0-9_.-]{1,64}$', expected: 'a name in lower case', description });

const Fact = Strict({
  network: NetworkName('Path value of the network'),
  fact: Type.Enum([...LAYER2_FACTS], {
    description: 'Name of the fact; in seconds, except `tx_per_sec_capacity` in transactions per second',
  }),
  value: Type.Union(
    [Type.String({ minLength: 1, maxLength: 200 }), Type.Number({ minimum: 0, maximum: 1e12 })],
    {
      expected: 'a number of at least 0, or a text for validation_mechanism',
      description: 'Value of the fact',
    },
  ),
  note: Type.String({
    minLength: 1,
    maxLength: 300,
    expected: 'a text of 1 to 300 characters',
    description: 'How the value is derived from the source',
  }),
  source: Type.String({
    pattern: '^https?://',
    expected: 'an http or https address',
    description: 'Address of the source',
  }),
  checked_on: Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    expected: 'a day, YYYY-MM-DD',
    description: 'Day on which the source was read',
  }),
});

/** A fact is identified by network and name and replaced as a whole, so that a new value never keeps the old source. */
export const layer2Policy = definePolicy({
  section: 'layer2',
  schema: Strict({
    networks: Type.Array(NetworkName('Path value of a network'), {
      minItems: 1,
      default: ['arbitrum', 'optimism'],
      expected: 'a list of at least one name',
      description: 'Path values of the networks served',
    }),
    facts: Type.Array(Fact, {
      default: LAYER2_REGISTRY,
      description: 'Facts about the networks, identified by network and fact',
    }),
  }),
  lists: { facts: { name: ({ network, fact }) => `${network}.${fact}` } },
  tables: [
    {
      name: 'layer2_network',
      columns: { network: 'VARCHAR' },
      rows: ({ networks }) => [...new Set(networks)].map((network) => ({ network })),
    },
    {
      name: 'layer2_fact',
      columns: {
        network: 'VARCHAR',
        fact: 'VARCHAR',
        text_value: 'VARCHAR',
        number_value: 'DOUBLE',
        note: 'VARCHAR',
        source: 'VARCHAR',
        checked_on: 'VARCHAR',
      },
      rows: ({ facts }) =>
        facts.map(({ value, ...fact }) => ({
          ...fact,
          text_value: String(value),
          number_value: typeof value === 'number' ? value : null,
        })),
    },
  ],
});
