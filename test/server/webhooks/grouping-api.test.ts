// Grouping and quiet hours of subscriptions, as callers set and read them.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DRAFT, WebhookApi } from './webhook-api.ts';

let api: WebhookApi;
beforeEach(async () => {
  api = await WebhookApi.start();
});
afterEach(() => api.fixture.remove());

const NIGHT = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00' };

test('are set with defaults, changed, and taken away with null', async () => {
  const { id, ...created } = await api.create({ ...DRAFT, grouping: {}, quiet_hours: NIGHT });
  expect(created).toMatchObject({
    grouping: { minutes: 60 },
    quiet_hours: { ...NIGHT, always_send: ['critical'] },
  });
  const patch = async (body: object) => (await api.ask('PATCH', `/v2/webhooks/${id}`, { body })).json.data;
  expect(await patch({ grouping: { minutes: 5 } })).toMatchObject({
    grouping: { minutes: 5 },
    quiet_hours: { from: '22:00' },
  });
  expect(await patch({ quiet_hours: { ...NIGHT, always_send: [] } })).toMatchObject({
    quiet_hours: { ...NIGHT, always_send: [] },
  });
  expect(await patch({ description: 'same' })).toMatchObject({ grouping: { minutes: 5 } });
  expect(await patch({ grouping: null, quiet_hours: null })).toMatchObject({
    grouping: null,
    quiet_hours: null,
  });
});

const REFUSED = [
  [{ grouping: { minutes: 4 } }, 'grouping/minutes', '5'],
  [{ grouping: { minutes: 1_441 } }, 'grouping/minutes', '1'],
  [{ grouping: { minutes: 60.5 } }, 'grouping/minutes', 'whole number'],
  [{ grouping: { hours: 1 } }, 'grouping/hours', ''],
  [{ quiet_hours: { ...NIGHT, from: '24:00' } }, 'quiet_hours/from', ''],
  [{ quiet_hours: { ...NIGHT, to: '7:00' } }, 'quiet_hours/to', ''],
  [{ quiet_hours: { ...NIGHT, to: '22:00' } }, 'quiet_hours/to', 'must be another time of the day'],
  [{ quiet_hours: { ...NIGHT, time_zone: 'CEST+2' } }, 'quiet_hours/time_zone', 'such as Europe/Berlin'],
  [{ quiet_hours: { from: '22:00', to: '07:00' } }, 'quiet_hours/time_zone', ''],
  [{ quiet_hours: { ...NIGHT, always_send: ['loud'] } }, 'quiet_hours/always_send/0', 'critical'],
] as const;

test('what is out of range is refused with its name, by creation and by change; the bounds are not', async () => {
  const { id } = await api.create({ ...DRAFT, grouping: { minutes: 5 } });
  expect(await api.create({ ...DRAFT, grouping: { minutes: 1_440 } })).toMatchObject({
    grouping: { minutes: 1_440 },
  });
  for (const [change, field, problem] of REFUSED) {
    const answers = [
      await api.ask('POST', '/v2/webhooks', { body: { ...DRAFT, ...change } }),
      await api.ask('PATCH', `/v2/webhooks/${id}`, { body: change }),
    ];
    for (const { status, json } of answers) {
      expect([field, status]).toEqual([field, 400]);
      expect(json.error.details.fields[0].field).toBe(field);
      expect(json.error.message).toContain(problem);
    }
  }
});
