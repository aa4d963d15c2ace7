// Text forms that several settings share.
import type { SettingSpec } from './setting-spec.ts';

type Form = NonNullable<SettingSpec['form']>;

/** May be empty. */
export const BUCKET: Form = { pattern: '(s3://\\S+)?', expected: '`s3://bucket/prefix`, or nothing' };

/** May be empty. */
export const ADDRESS: Form = {
  pattern: '(https?://\\S+)?',
  expected: 'an http or https address, or nothing',
};

/** May be empty. */
export const DATABASE: Form = {
  pattern: '(postgres(ql)?://\\S+)?',
  expected: 'an address such as postgres://user@host/database, or nothing',
};

export const PATH: Form = { pattern: '.*\\S.*', expected: 'a path' };
