// `npm start`.
import { defineProgram } from './define-program.ts';

export const START = defineProgram({
  name: 'start',
  invocation: 'npm start --',
  description: 'Starts the jobs (schedule) and the server as two processes and stops both together.',
  defaultCommand: 'start',
  commands: {
    start: {
      description:
        'Run the jobs and the server until stopped; the demo ticks every minute unless a tick is configured',
      operands: [],
      flags: {},
      examples: ['npm start', 'npm start -- --port 9000 --demo-days 90'],
    },
  },
  notes: [
    'Exit codes: 0 stopped, 2 wrong configuration, otherwise the exit code of the program that ended first.',
  ],
});
