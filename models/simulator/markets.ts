// A lending market by hour: its debt and free liquidity, its utilisation and borrow rate, and how much more its debts have grown than
// without the shocks. Amounts are in USD at the initial prices.
import { HOUR_S } from '../../platform/base/time.ts';
import { adaptedRateAtTarget, adaptiveRate, kinkedRate } from '../rates.ts';
import type { RateCurve, SimulatedMarket } from './inputs.ts';
import type { ShockTable } from './shock-paths.ts';

const HOURS_PER_YEAR = 8_760;

/** Interest on one market at a utilisation that may change by the hour. */
class Interest {
  readonly #curve: RateCurve | null;
  #rateAtTarget: number;
  /** Growth of a debt since the start. */
  index = 1;
  /** Borrow rate of this hour, a fraction per year; null if unknown. */
  rate: number | null = null;

  constructor(curve: RateCurve | null) {
    this.#curve = curve;
    this.#rateAtTarget = curve?.kind === 'adaptive' ? curve.rate_at_target : 0;
  }

  enter(utilization: number): void {
    if (this.#curve === null) return;
    if (this.#curve.kind === 'held') this.rate = this.#curve.rate;
    else if (this.#curve.kind === 'kinked') this.rate = kinkedRate(this.#curve, utilization);
    else this.rate = adaptiveRate(this.#rateAtTarget, utilization);
  }

  /** Accrues one hour at the current rate. */
  leave(utilization: number): void {
    this.index *= 1 + (this.rate ?? 0) / HOURS_PER_YEAR;
    this.#rateAtTarget = adaptedRateAtTarget(this.#rateAtTarget, utilization, HOUR_S);
  }
}

export class MarketState {
  readonly market: SimulatedMarket;
  readonly #withdrawableFactor: Float64Array;
  readonly #utilizationFactor: Float64Array | undefined;
  readonly #startUtilization: number;
  /** Supply minus debt; differs from what can be withdrawn if a market keeps a buffer. */
  readonly #startFree: number;
  readonly #interest: Interest;
  readonly #unshocked: Interest;
  #hour = 0;
  #repaid = 0;
  #writtenOff = 0;
  #left = 0;
  /** Supply that suppliers outside the simulation have withdrawn since the start; negative if they have added some. */
  #leftByOthers = 0;
  /** Supply of the positions and vaults in the simulation, which is not among what others withdraw. */
  #reserved = 0;
  utilization: number;
  withdrawable: number;
  /** What the market owes to its remaining suppliers. */
  claims: number;
  /** Part of 1 USD supplied at the start that has not been written off. */
  claimIndex = 1;

  constructor(market: SimulatedMarket, shocks: ShockTable) {
    const { supplied_usd: supplied, borrowed_usd: borrowed } = market;
    this.market = market;
    this.#withdrawableFactor = shocks.factors('withdrawable', market.id);
    this.#utilizationFactor = shocks.find('utilization', market.id);
    this.#startUtilization = supplied > 0 ? Math.min(1, borrowed / supplied) : 0;
    this.#startFree = Math.max(0, supplied - borrowed);
    this.#interest = new Interest(market.curve);
    this.#unshocked = new Interest(market.curve);
    this.utilization = this.#startUtilization;
    this.withdrawable = market.withdrawable_usd;
    this.claims = supplied;
  }

  get rate(): number | null {
    return this.#interest.rate;
  }

  /** Supply rate, a fraction per year; null if a part of it is unknown. */
  get supplyRate(): number | null {
    const { reserve_factor: kept } = this.market;
    return this.rate === null || kept === null ? null : this.rate * this.utilization * (1 - kept);
  }

  /** Whether its utilisation or its supply differs from the start. */
  get isMoved(): boolean {
    const { supplied_usd, withdrawable_usd } = this.market;
    return (
      this.utilization !== this.#startUtilization ||
      this.claims !== supplied_usd ||
      this.withdrawable !== withdrawable_usd
    );
  }

  /** Whether borrowers pay more than at the start, by an amount that no model gives. */
  get isRateUnmodelled(): boolean {
    const { curve } = this.market;
    return (curve === null || curve.kind === 'held') && this.utilization > this.#startUtilization;
  }

  /** Growth of a debt relative to its growth without the shocks. */
  get extraInterest(): number {
    return this.#interest.index / this.#unshocked.index;
  }

  enter(hour: number): void {
    if (hour > 0) {
      this.#interest.leave(this.utilization);
      this.#unshocked.leave(this.#startUtilization);
    }
    this.#hour = hour;
    this.#measure();
    this.#interest.enter(this.utilization);
    this.#unshocked.enter(this.#startUtilization);
  }

  /** Records that a liquidator repaid a debt. */
  repay(usd: number): void {
    this.#repaid += usd;
  }

  /** Records that a debt without collateral was written off against the claims of the remaining suppliers, pro rata. */
  writeOff(usd: number): void {
    this.#writtenOff += usd;
    if (!(this.claims > 0)) return;
    const left = Math.max(0, 1 - usd / this.claims);
    this.claims *= left;
    this.claimIndex *= left;
  }

  /** Keeps an amount of the supply at the start from being withdrawn by others. */
  reserve(usd: number): void {
    this.#reserved += usd;
  }

  /** Withdraws as much of an amount as possible and returns it. */
  withdraw(usd: number): number {
    const taken = Math.min(usd, this.withdrawable);
    this.#left += taken;
    this.withdrawable -= taken;
    this.claims = Math.max(0, this.claims - taken);
    if (this.claimIndex > 0) this.#reserved = Math.max(0, this.#reserved - taken / this.claimIndex);
    return taken;
  }

  #measure(): void {
    const borrowed = Math.max(0, this.market.borrowed_usd - this.#repaid - this.#writtenOff);
    const utilizationFactor = this.#utilizationFactor?.[this.#hour];
    if (utilizationFactor === undefined) this.#setFree(borrowed);
    else this.#setUtilization(utilizationFactor, borrowed);
  }

  /**
   * Others have withdrawn that much since the start. They cannot withdraw what is not theirs: what a scenario takes from the free
   * liquidity beyond that is borrowed.
   */
  #leave(usd: number): void {
    const wanted = usd - this.#leftByOthers;
    const taken = Math.min(wanted, Math.max(0, this.claims - this.#reserved * this.claimIndex));
    this.#leftByOthers += taken;
    this.claims -= taken;
  }

  #setFree(borrowed: number): void {
    const factor = this.#withdrawableFactor[this.#hour] ?? 1;
    const all = this.market.withdrawable_usd + this.#repaid;
    this.withdrawable = Math.max(0, factor * all - this.#left);
    this.#leave(all - this.#left - this.withdrawable);
    const free = Math.max(0, factor * (this.#startFree + this.#repaid) - this.#left);
    const isUnchanged = free === this.#startFree && borrowed === this.market.borrowed_usd;
    // Suppliers in a run withdraw what is free, while borrowers stay.
    if (isUnchanged || borrowed + free === 0) this.utilization = this.#startUtilization;
    else this.utilization = borrowed / (borrowed + free);
  }

  #setUtilization(factor: number, borrowed: number): void {
    this.utilization = Math.min(1, factor * this.#startUtilization);
    const supplied = Math.max(0, this.market.supplied_usd - this.#writtenOff);
    if (factor === 1) {
      this.withdrawable = this.market.withdrawable_usd;
      this.#leave(0);
    } else {
      // Leaving suppliers raise utilisation and repaying borrowers lower it; no one supplies more than at the start.
      const left = this.utilization > 0 ? Math.min(supplied, borrowed / this.utilization) : supplied;
      const buffered = this.#startFree > 0 ? this.market.withdrawable_usd / this.#startFree : 1;
      this.withdrawable = left * (1 - this.utilization) * buffered;
      this.#leave(supplied - left);
    }
    this.withdrawable = Math.max(0, this.withdrawable - this.#left);
  }
}
