import { expect, test } from 'vitest';
import { type S3Settings, s3Location } from '../../../../platform/storage/s3/location.ts';

const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const given = (changes: Partial<S3Settings> = {}): S3Settings => ({
  setting: 'SNAPSHOT_STORE',
  address: 's3://bucket/some/prefix/',
  endpoint: '',
  region: 'eu-central-1',
  env,
  ...changes,
});

test('the bucket is part of the host name on AWS, and part of the path on another endpoint', () => {
  expect(s3Location(given())).toEqual({
    url: 'https://bucket.s3.eu-central-1.amazonaws.com',
    bucket: 'bucket',
    prefix: 'some/prefix/',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  });
  const other = given({ address: 's3://bucket', endpoint: 'https://objects.example/' });
  expect(s3Location(other)).toMatchObject({ url: 'https://objects.example/bucket', prefix: '' });
  const session = given({ env: { ...env, AWS_SESSION_TOKEN: 'token' } });
  expect(s3Location(session).credentials.sessionToken).toBe('token');
});

test.each([
  ['s3://', 'not s3://bucket/prefix'],
  ['s3://UPPER/x', 'not s3://bucket/prefix'],
  ['s3://bucket/a b', 'not s3://bucket/prefix'],
  ['s3://bucket/a/../b', '"." or ".."'],
])('%s is rejected', (address, why) => {
  expect(() => s3Location(given({ address }))).toThrow(why);
});

test.each([
  ['http://objects.example', 'without https'],
  ['http://10.0.0.1:9000', 'without https'],
  ['objects.example', 'S3_ENDPOINT is objects.example, not an address'],
  ['ftp://objects.example', 'without https'],
])('the endpoint %s is rejected', (endpoint, why) => {
  expect(() => s3Location(given({ endpoint }))).toThrow(why);
});

test.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])(
  'plain http is accepted on this machine: %s',
  (endpoint) => {
    expect(s3Location(given({ endpoint })).url).toBe(`${endpoint}/bucket`);
  },
);

test('without credentials in the environment there is no place', () => {
  expect(() => s3Location(given({ env: { AWS_ACCESS_KEY_ID: 'id' } }))).toThrow('AWS_SECRET_ACCESS_KEY');
});
