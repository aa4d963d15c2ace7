// An event is one trace through both programs, as processes that send their spans to a collector: the run that found it, the version that
// is the first to have it, and the attempt at its delivery, whose receiver gets the id of that attempt's span.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RunningInstallation, until } from '../operations/backup/running-installation.ts';
import { type ReceivedPost, TestReceiver } from '../server/webhooks/received.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly {
        readonly key: string;
        readonly value: { readonly stringValue: string };
      }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

const spansIn = (text: string): readonly ReceivedSpan[] =>
  (JSON.parse(text) as OtlpBody).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });

/** A collector for OTLP over HTTP as JSON. */
async function startCollector(): Promise<{ readonly url: string; readonly spans: readonly ReceivedSpan[] }> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    spans.push(...spansIn(Buffer.concat(await request.toArray()).toString()));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

/** Starts both programs, and returns the first delivery that a receiver gets. */
async function firstDelivery(collector: string): Promise<ReceivedPost> {
  const receiver = await TestReceiver.start();
  onTestFinished(() => receiver.stop());
  const traced = { TRACES_URL: collector, TRACES_RATIO: '1' };
  const installation = new RunningInstallation(temporaryFolder('one-trace'), traced);
  onTestFinished(() => installation.kill());
  await installation.start(receiver.url);
  const [delivery = expect.fail('nothing was delivered')] = await receiver.until(1);
  return delivery;
}

test('the spans of both programs and the delivery that is received have the trace of the event', async () => {
  const { url, spans } = await startCollector();
  const { headers, body } = await firstDelivery(url);
  const [, traceId = '', attempt] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(headers['traceparent'])) ?? [];
  const ofTrace = () => spans.filter((span) => span.traceId === traceId);
  await until('the export of the spans', () => ofTrace().length === 3);

  const { event_id } = JSON.parse(body.toString()) as { readonly event_id: string };
  const event = ofTrace().find(({ name }) => name === 'event');
  expect(event).toMatchObject({
    service: 'defi-risk-jobs',
    attributes: expect.arrayContaining([{ key: 'event.id', value: { stringValue: event_id } }]),
  });
  expect(event?.parentSpanId).toBeUndefined();
  const parentSpanId = event?.spanId;
  expect(ofTrace()).toContainEqual(
    expect.objectContaining({ service: 'defi-risk-jobs', name: 'published', parentSpanId }),
  );
  expect(ofTrace()).toContainEqual(
    expect.objectContaining({
      ...{ service: 'defi-risk-server', name: 'deliver standard' },
      ...{ spanId: attempt, parentSpanId },
    }),
  );

  // The run has a trace of its own, to whose stage the event is linked; so have the requests.
  const [{ spanId: stage } = expect.fail('the event is linked to no run')] = event?.links ?? [];
  expect(spans.find(({ spanId }) => spanId === stage)).toMatchObject({
    service: 'defi-risk-jobs',
    name: 'events',
  });
  expect(spans).toContainEqual(
    expect.objectContaining({ service: 'defi-risk-server', name: 'POST /v2/webhooks' }),
  );
});
