// The legacy body of endpoints that have no data.
import { expect } from 'vitest';

export async function expectNoLegacyData(response: Response): Promise<void> {
  expect(response.status).toBe(404);
  const request_id = response.headers.get('x-request-id');
  const error = { code: 'not_found', message: 'No data was found.', request_id };
  expect(await response.json()).toEqual({ status: false, data: [], message: error.message, error });
}
