import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { EventSchema } from '../../schemas/event.ts';
import { EVENT_CATALOGUE, EVENT_TYPES, SAMPLES } from '../../schemas/events.ts';

const ajv = new Ajv({ allErrors: true });
(addFormats as unknown as { default: (ajv: Ajv) => void }).default(ajv);

test('there is a sample of every event type, and of nothing else', () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual([...EVENT_TYPES].toSorted());
});

test.each(EVENT_CATALOGUE)('the sample of $type matches its type', ({ type, data, severities, subject }) => {
  const sample = SAMPLES[type];
  const envelope = { event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD', type, ts: '2026-01-31T09:00:00Z', ...sample };
  expect(ajv.validate(EventSchema, envelope), ajv.errorsText()).toBe(true);
  expect(ajv.validate(data, sample?.data), ajv.errorsText()).toBe(true);
  expect(severities).toContain(sample?.severity);
  const form = new RegExp(`^${subject.replaceAll(/<[a-z_]+>/g, '[^:]+')}$`);
  expect(sample?.subject_id).toMatch(form);
});
