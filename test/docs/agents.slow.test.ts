import { expect, test } from 'vitest';
import { agentTranscript, recordedTranscript } from './agent-transcript.ts';

test('the conversation in docs/agents.md is what the tools answer: npm run transcript', async () => {
  expect(await agentTranscript()).toBe(recordedTranscript());
}, 120_000);
