// Follows the event stream and comes back with the last id when it is cut.
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Coming back with the same key would bring the same answer. */
const FINAL_CODES = new Set([4001, 4003]);
/** `since_event_id` is older than the window, or wrong: begin anew. */
const WRONG_START = 4004;

/**
 * `since`: events after this id. `on.event` gets each envelope once and in order; `on.state` gets `connecting`, `live`, `waiting` or
 * `refused` and words. Gives the way to stop.
 */
export function followStream({ key, since, on }) {
  let [last, pauseMs, isStopped, timer, socket] = [since, FIRST_PAUSE_MS, false, undefined, undefined];

  function receive({ data }) {
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
      on.state('live', `Live; what came before ${frame.from} is out of the replay window`);
    }
  }

  function closed({ code, reason }) {
    if (isStopped) return;
    const words = reason || `closed with ${code}`;
    if (FINAL_CODES.has(code)) {
      on.state('refused', words);
      return;
    }
    if (code === WRONG_START) last = undefined;
    on.state('waiting', `Cut (${words}); again in ${Math.round(pauseMs / 1_000)} s`);
    timer = setTimeout(connect, pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }

  function connect() {
    on.state('connecting', 'Connecting…');
    socket = new WebSocket(addressOf(key, last));
    socket.onmessage = receive;
    socket.onclose = closed;
  }

  connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    socket.close();
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
