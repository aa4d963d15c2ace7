// One day of one bridge of the made-up eighth family, as published.
import { IsoTime, Nullable, type Static, Strict, Type } from '../../../schemas/define.ts';

export const BridgeDaySchema = Strict({
  timestamp: IsoTime('00:00 UTC of the day'),
  transfers: Type.Integer({ minimum: 0, description: 'Transfers of the day' }),
  volume_usd: Nullable(Type.Number({ minimum: 0, description: 'Worth of those whose worth is known, USD' })),
});
export type BridgeDay = Static<typeof BridgeDaySchema>;
