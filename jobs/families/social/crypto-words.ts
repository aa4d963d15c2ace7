// Our word list: crypto terms that VADER lacks, or knows in another sense. Valences are on VADER's scale, -4 to 4.
// Any change requires a new version of the features (features.ts).

const tokens = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');
const phrases = (text: string): readonly string[] => text.split(',').map((phrase) => phrase.trim());

export type ValuedWords = readonly (readonly [valence: number, names: readonly string[]])[];

export const CRYPTO_WORDS: ValuedWords = [
  [3.2, tokens('wagmi mooning mooned moonshot lfg 🚀 🌕')],
  [
    2.6,
    tokens('bullish bull bulls bullrun moon moonbound rally rallying rallied breakout ath aths gigachad'),
  ],
  [
    2,
    tokens(`
      hodl hodling hodler hodlers gm gem gems based chad chads alpha diamond juicy undervalued accumulating accumulate
      pumping pumped parabolic safu shipping shipped greenlit outperform outperforming adoption audited verified
      immutable trustless decentralized permissionless battle-tested overcollateralized solvent doubled tripled soared soaring surge
      surged surging skyrocket skyrocketed reimbursed refunded restored recovered repegged airdrop airdropped
    `),
  ],
  [
    1.2,
    tokens(`
      frens fren early stacking pump pumps long compounding compounded listing listed partnership upgrade upgraded green up
      cheap fast quick smoothly deep funded passed rewards comfy ty online fixed resolved profitable profits profit
      huge growing growth deflationary 🔥 📈 💎 🙌 🤝 🫡
    `),
  ],
  [-3.4, tokens('rekt rugged rug rugpull rugpulled rugs scam scammer scammers scamming ponzi honeypot 💀')],
  [
    -2.8,
    tokens(`
      ngmi depeg depegged depegging depegs insolvent insolvency drained drain draining exploited exploit exploits exploiter hacked
      hack hacks hacker phishing phished phish compromised capitulation capitulate capitulated bankrupt bankruptcy shitcoin shitcoins
      stolen stole
    `),
  ],
  [
    -2.2,
    tokens(`
      liquidated liquidation liquidations bearish bear bears dump dumping dumped dumps fud fudding fudder bagholder bagholders bleeding
      sandwiched frontrun frontrunning reentrancy contagion overvalued vaporware delisted delisting diluting diluted dilution sued lawsuit
      manipulated manipulation wrecked wiped nuked nuke jeet jeets plunge plunged plunging tanked tanking leaked garbage unsustainable
      fake frozen 📉 🩸 🤡 🐻
    `),
  ],
  [
    -1.4,
    tokens(`
      reverted revert reverts stuck paused halted halting halt outage slippage broken bug bugs congested congestion inflationary unlock
      unlocks sell selling sold sell-off selloff red down downtime short shorting expensive fees insane censored centralized underwater
      failed failing unresponsive ignores ignored delayed 🚩
    `),
  ],
  // Words that carry sentiment for VADER but are neutral in crypto.
  [
    0,
    tokens(`
      interest shares share token tokens gas mining fee debt stake staked staking yield vote voting votes liquid burn burns lock locked
      default credit block blocks chain contract contracts protocol
    `),
  ],
];

export const CRYPTO_PHRASES: ValuedWords = [
  [
    3,
    phrases(`
      to the moon, all time high, all-time high, diamond hands, short squeeze, strong hands, send it, gonna make it, going to make it,
      number go up, buy the dip, probably nothing, golden cross, back in control, took profits, in favour, in favor
    `),
  ],
  [
    2,
    phrases(
      `out of the bear, paid off, no downtime, zero downtime, without bad debt, clean audit, came back clean, back online`,
    ),
  ],
  [0, phrases(`interest rate, interest rates, flash loan, flash loans, health factor, price feed`)],
  [
    -2.6,
    phrases(`
      pump and dump, bad debt, death spiral, bank run, exit scam, down only, paper hands, death cross, dead coin, going to zero,
      goes to zero, went to zero, get out, stay away, impermanent loss, flash loan attack, bought the top, rug pull, pulled the liquidity,
      cannot sell, can't sell, not sustainable, is down, no volume
    `),
  ],
];
