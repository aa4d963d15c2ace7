// Fields that several raw tables of the lending domain share.
import { type FieldOptions, flag, id, word } from '../../define/fields.ts';
/** Ids of markets are 32 bytes in hex, addresses 20; other chains have longer ones. */
export const address = (name: string, description: string, options?: FieldOptions) =>
  id(name, description, { maxLength: 200, ...options });

export const market_id = address(
  'market_id',
  'Id of the market on its chain: its key, or the address of its deposit token',
  { required: true, ...word('0x7b2f') },
);

export const vault_address = address('vault_address', 'Address of the vault', {
  required: true,
  ...word('0x7b2f'),
});

export const protocol = id('protocol', 'Key of the protocol', {
  required: true,
  ...word('aave-v3', { separators: '/|"\\', longest: 64 }),
});

export const is_listed = flag('is_listed', 'False once it was taken off the list; true when absent');
