// Troubles that look like data, or like the end of the data.
import { asJson, withRecords } from './replies.ts';
import { hasAmount, isList, isSecondPage, type Trouble, trouble } from './trouble.ts';

const rename = (from: string, to: string) => (record: { [name: string]: unknown }) => {
  const { [from]: value, ...rest } = record;
  return { ...rest, [to]: value };
};
const without = (name: string) => (record: { [name: string]: unknown }) => {
  const { [name]: _, ...rest } = record;
  return rest;
};

export const DECEIVING: readonly Trouble[] = [
  trouble(
    'a renamed field',
    (scene) => ({
      reply: asJson(
        withRecords(scene, (all) => all.map(rename(scene.endpoint.carriers.sentinel, 'renamed'))),
        scene.question.now,
      ),
    }),
    isList,
  ),
  trouble(
    'a missing field',
    (scene) => ({
      reply: asJson(
        withRecords(scene, (all) => all.map(without(scene.endpoint.carriers.id))),
        scene.question.now,
      ),
    }),
    isList,
  ),
  trouble(
    'a retyped field',
    (scene) => {
      const document = withRecords(scene, (all) =>
        all.map((one) => ({ ...one, [scene.endpoint.carriers.amount ?? '']: { usd: 'n/a' } })),
      );
      // Tables that do not use the amount keep the rows.
      return { reply: asJson(document, scene.question.now), lands: 'perhaps', counts: document };
    },
    hasAmount,
  ),
  trouble(
    'nulls',
    (scene) => ({
      reply: asJson(
        withRecords(scene, (all) => all.map((one) => ({ ...one, [scene.endpoint.carriers.sentinel]: null }))),
        scene.question.now,
      ),
    }),
    isList,
  ),
  trouble(
    'zeros',
    (scene) => ({
      reply: asJson(
        withRecords(scene, (all) =>
          all.map((one) => ({ ...one, [scene.endpoint.carriers.amount ?? '']: 0 })),
        ),
        scene.question.now,
      ),
    }),
    hasAmount,
  ),
  trouble(
    'an empty list',
    (scene) => {
      const document = withRecords(scene, () => []);
      const reply = asJson(document, scene.question.now);
      // An empty stretch of time is plausible.
      return scene.endpoint.id === 'hub' ? { reply, lands: 'perhaps', counts: document } : { reply };
    },
    isList,
  ),
  trouble('another envelope', ({ document, question: { now } }) => ({
    reply: asJson({ payload: document }, now),
  })),
  trouble(
    'a page repeated',
    (scene) => ({
      reply: asJson(scene.endpoint.answer({ ...scene.question, path: '/posts.json' }), scene.question.now),
    }),
    isSecondPage,
  ),
  trouble(
    'a cursor that does not move',
    (scene) => ({
      reply: asJson(
        withRecords(scene, (all) => all.map((one) => ({ ...one, id: 7 }))),
        scene.question.now,
      ),
    }),
    isSecondPage,
  ),
];
