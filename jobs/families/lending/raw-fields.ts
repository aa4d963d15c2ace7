// Fields that several raw tables of the lending domain share.
import type { RawField } from '../../define/raw-table.ts';

/** Ids of markets are 32 bytes in hex, addresses 20; other chains have longer ones. */
export const ID = { type: 'VARCHAR', lowercase: true, maxLength: 200 } as const;

export const chain: RawField = {
  name: 'chain',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  maxLength: 64,
  description: 'Chain name',
};

export const market_id: RawField = {
  ...ID,
  name: 'market_id',
  required: true,
  pattern: '[^\\s|]+',
  description: 'Id of the market on its chain: its key, or the address of its deposit token',
};

export const vault_address: RawField = {
  ...ID,
  name: 'vault_address',
  required: true,
  pattern: '[^\\s|]+',
  description: 'Address of the vault',
};

export const observed_at: RawField = {
  name: 'observed_at',
  type: 'BIGINT',
  required: true,
  min: 1,
  description: 'Time from which the entry holds, Unix seconds',
};

export const protocol: RawField = {
  name: 'protocol',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  pattern: '[^\\s/|"\\\\]{1,64}',
  description: 'Key of the protocol',
};

export const is_listed: RawField = {
  name: 'is_listed',
  type: 'BOOLEAN',
  description: 'False once it was taken off the list; true when absent',
};

export const text = (name: string, description: string, maxLength = 200): RawField => ({
  name,
  type: 'VARCHAR',
  maxLength,
  description,
});

export const amount = (name: string, description: string): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max: 1e30,
  description,
});

export const ratio = (name: string, description: string, max = 1): RawField => ({
  name,
  type: 'DOUBLE',
  min: 0,
  max,
  description: `${description}, as a fraction`,
});

export const flag = (name: string, description: string): RawField => ({ name, type: 'BOOLEAN', description });
