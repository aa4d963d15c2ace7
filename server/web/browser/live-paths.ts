// Requests for the state of the service or of the key, which is the current state unless a time is selected.

export const isLive = (address: string): boolean =>
  /^\/v1\/|^\/v2\/webhooks/.test(address) && !/[?&]as_of=/.test(address);
