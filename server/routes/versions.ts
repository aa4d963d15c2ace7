// The kept versions, which `as_of` and `version` can name.
import { IsoTime, Strict, Type, Ulid } from '../../schemas/define.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';

export const listVersions = defineEndpoint({
  method: 'GET',
  tag: TAGS.datasets,
  path: '/v2/versions',
  summary: 'Kept versions, newest first',
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({}),
  response: Strict({
    data: Type.Array(
      Strict({
        version: Ulid('Name of the version'),
        as_of: IsoTime(
          'Time in its name: the logical time of its data, or some milliseconds later if several versions share a logical time. Events are published before the datasets of their time, so the first of two versions with one time has the datasets of the version before it; `as_of` selects the second',
        ),
      }),
    ),
    meta: Strict({
      total: Type.Integer({ minimum: 0 }),
      oldest_as_of: Type.Union([Type.String(), Type.Null()]),
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle(_, services) {
    const payload = await services.datasets.kept();
    const meta = { total: payload.length, oldest_as_of: payload.at(-1)?.as_of ?? null };
    return { payload, meta, identity: services.identify(JSON.stringify(payload)) };
  },
  mirror: () => [{}],
});
