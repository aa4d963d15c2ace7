// Follows the event stream and resumes with the last id after an interruption.
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Longer than two heartbeats. */
const SILENCE_MS = 75_000;
/** Reconnecting with the same key would fail again. */
const FINAL_CODES = new Set([4001, 4003]);
/** `since_event_id` is older than the window, or invalid: start again without it. */
const WRONG_START = 4004;

/**
 * `since`: events after this id. `on.event` gets each envelope once and in order; `on.state` gets `connecting`, `live`, `waiting` or
 * `refused` and words. Returns functions to `stop` and, while it waits, to reconnect `now`.
 */
export function followStream({ key, since, on }) {
  let [last, pauseMs, isStopped] = [since, FIRST_PAUSE_MS, false];
  let [socket, timer, silence] = [];

  function receive({ data }) {
    if (isStopped) return;
    expectMore();
    const frame = JSON.parse(data);
    if (frame.op === undefined) {
      last = frame.event_id;
      on.event(frame);
    } else if (frame.op === 'hello') {
      pauseMs = FIRST_PAUSE_MS;
      last ??= frame.after_event_id ?? undefined;
      on.state('live', 'Live');
    } else if (frame.op === 'heartbeat' && frame.last_event_id !== null) {
      if (last === undefined || frame.last_event_id > last) last = frame.last_event_id;
    } else if (frame.op === 'gap') {
      on.state('live', `Live; events before ${frame.from} are outside the replay window`);
    }
  }

  /** A connection can be lost without a close. */
  function expectMore() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      [socket.onclose, socket.onmessage] = [null, null];
      socket.close();
      closed({ code: 1006, reason: '' });
    }, SILENCE_MS);
  }

  function closed({ code, reason }) {
    clearTimeout(silence);
    if (isStopped) return;
    if (FINAL_CODES.has(code)) {
      on.state('refused', reason || `Refused with ${code}`);
      return;
    }
    if (code === WRONG_START) last = undefined;
    const why = reason === '' ? '' : ` (${reason.split(':', 1)[0]})`;
    on.state('waiting', `Connection lost${why}; again in ${Math.round(pauseMs / 1_000)} s`);
    // Spreads reconnections of clients that were disconnected together.
    timer = setTimeout(connect, pauseMs * (0.75 + Math.random() / 2));
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }

  function connect() {
    timer = undefined;
    on.state('connecting', 'Connecting…');
    socket = new WebSocket(addressOf(key, last));
    socket.onmessage = receive;
    socket.onclose = closed;
    expectMore();
  }

  connect();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(silence);
      socket.close();
    },
    now() {
      if (isStopped || timer === undefined) return;
      clearTimeout(timer);
      connect();
    },
  };
}

function addressOf(key, since) {
  const address = new URL('/v2/ws/risk-events', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('token', key);
  address.searchParams.set('control', '1');
  if (since !== undefined) address.searchParams.set('since_event_id', since);
  return address;
}
