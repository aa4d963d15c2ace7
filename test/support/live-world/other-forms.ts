// The true data, or part of it, in forms that a source may legitimately choose: its rows land, or wait for confirmation.
import { asJson, status, withRecords } from './replies.ts';
import { hasAmount, isDaily, isWhole, type Trouble, trouble } from './trouble.ts';

export const OTHER_FORMS: readonly Trouble[] = [
  trouble('another content type', ({ document, question: { now } }, turn) => ({
    reply: asJson(document, now, {
      'content-type': ['text/plain', 'application/octet-stream'][turn % 2] ?? '',
    }),
    lands: 'always',
  })),
  trouble('a redirect that leads there', ({ question: { path } }) =>
    status(307, { location: `${path}${path.includes('?') ? '&' : '?'}moved=1` }),
  ),
  trouble(
    'an old copy with its age',
    ({ endpoint, question }) => {
      const document = endpoint.answer({ ...question, now: question.now - 900 });
      const reply = asJson(document, question.now, { age: '900' });
      return { reply, lands: 'always', counts: document, age: 900 };
    },
    ({ endpoint }) => endpoint.protocol !== 'json_rpc',
  ),
  trouble(
    'duplicate rows',
    (scene) => {
      const document = withRecords(scene, (all) => [...all, ...all.slice(0, 5)]);
      return { reply: asJson(document, scene.question.now), lands: 'always' };
    },
    isWhole,
  ),
  trouble(
    'rows out of order',
    (scene) => ({
      reply: asJson(
        withRecords(scene, (all) => [...all].reverse()),
        scene.question.now,
      ),
      lands: 'always',
    }),
    isWhole,
  ),
  trouble(
    'decimals as strings',
    (scene) => {
      const { amount } = scene.endpoint.carriers;
      const document = withRecords(scene, (all) =>
        all.map((one) => ({ ...one, [amount ?? '']: String(one[amount ?? '']) })),
      );
      return { reply: asJson(document, scene.question.now), lands: 'always' };
    },
    hasAmount,
  ),
  trouble('a byte order mark', ({ document, question: { now } }) => {
    const reply = asJson(document, now);
    return { reply: { ...reply, body: `\uFEFF${String(reply.body)}` }, lands: 'always' };
  }),
  trouble(
    'a day missing',
    (scene) => {
      const document = withRecords(scene, (all) => all.filter((one) => one['date'] !== all.at(-4)?.['date']));
      return { reply: asJson(document, scene.question.now), lands: 'always', counts: document };
    },
    isDaily,
  ),
  trouble(
    'a third of the list',
    (scene) => {
      const document = withRecords(scene, (all) => all.slice(0, Math.floor(all.length / 3)));
      return { reply: asJson(document, scene.question.now), lands: 'perhaps', counts: document };
    },
    isWhole,
  ),
  trouble(
    'a number beyond reason',
    (scene) => {
      const { amount } = scene.endpoint.carriers;
      const document = withRecords(scene, (all) =>
        all.map((one, index) => (index === 1 ? { ...one, [amount ?? '']: 1e300 } : one)),
      );
      return { reply: asJson(document, scene.question.now), lands: 'always', counts: document };
    },
    hasAmount,
  ),
  trouble(
    'an id used twice',
    (scene) => {
      const { id } = scene.endpoint.carriers;
      const document = withRecords(scene, (all) =>
        all.map((one, index) => (index === 1 ? { ...one, [id]: all[0]?.[id] } : one)).reverse(),
      );
      // Of two rows with the same key, the one with the smaller figures lands, here the later one. A table with another key holds both.
      return { reply: asJson(document, scene.question.now), lands: 'always', counts: document };
    },
    (scene) => ['pools', 'protocols'].includes(scene.endpoint.id),
  ),
  trouble('a clock that runs ahead', ({ document, question: { now } }) => ({
    reply: asJson(document, now, { date: new Date((now + 7_200) * 1000).toUTCString() }),
    lands: 'perhaps',
  })),
  trouble('a clock that runs behind', ({ document, question: { now } }) => ({
    reply: asJson(document, now, { date: new Date((now - 7_200) * 1000).toUTCString() }),
    lands: 'perhaps',
  })),
];
