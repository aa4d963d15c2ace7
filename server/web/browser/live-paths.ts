// Requests for the state of the service or of the key, which is always the current state.

export const isLive = (address: string): boolean => /^\/v1\/|^\/v2\/webhooks/.test(address);
