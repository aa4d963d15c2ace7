// Query parameters of paged lists.
import { Type } from './define.ts';

export const limitParameter = ({ default: usual, max }: { readonly default: number; readonly max: number }) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: usual, description: 'Page size' }));

export const cursorParameter = Type.Optional(
  Type.String({ description: '`meta.cursor` of the previous page' }),
);
