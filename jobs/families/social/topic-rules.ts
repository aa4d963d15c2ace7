// What a message is about: weighted words and phrases that indicate a high-level topic, and words and phrases that name a mid-level topic.
// Any change requires a new version of the features (features.ts).
import type { HighLevelTopic } from '../../../schemas/social.ts';

const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** A message belongs to the topic with the largest sum of weights, to the first of several equal ones, and to `Other` without any. */
export const HIGH_LEVEL_RULES: readonly {
  readonly topic: HighLevelTopic;
  readonly weight: number;
  readonly keywords: readonly string[];
}[] = [
  {
    topic: 'DeFi and Yield Farming',
    weight: 2,
    keywords: list(`
      yield farming, farming, liquidity pool, liquidity mining, impermanent loss, flash loan, flash loans, collateral, borrow, borrowing,
      borrowed, lending, lend, lender, health factor, liquidation, liquidations, liquidated, apy, apr, stake, staking, staked, unstake,
      restaking, vault, vaults, amm, tvl, defi, stablecoin, stablecoins, atoken, atokens, deposit rate, borrow rate, supply cap, ltv
    `),
  },
  {
    topic: 'DeFi and Yield Farming',
    weight: 1,
    keywords: list(
      'yield, yields, deposit, deposits, supply, supplied, loan, loans, interest, rewards, reward, pool, pools, swap, lp, farm',
    ),
  },
  {
    topic: 'Price and Market Discussions',
    weight: 2,
    keywords: list(`
      price, prices, bullish, bearish, pump, pumping, dump, dumping, moon, mooning, ath, chart, charts, market cap, marketcap, mcap, bull,
      bear, bulls, bears, dip, candle, candles, resistance, trading, trader, traders, hodl, rally, listing, binance, coinbase, kraken,
      depeg, depegged, sell, selling, buy, buying, leverage, longs, shorts, whale, whales
    `),
  },
  {
    topic: 'Price and Market Discussions',
    weight: 1,
    keywords: list(
      'market, markets, trade, exchange, token, tokens, coin, value, profit, profits, usd, dollar, invest, investment, investor',
    ),
  },
  {
    topic: 'Technical Discussions and Support',
    weight: 2,
    keywords: list(`
      error, errors, bug, bugs, transaction failed, tx failed, stuck, pending, revert, reverted, metamask, ledger, walletconnect, wallet,
      wallets, contract, contracts, smart contract, abi, api, sdk, subgraph, rpc, node, testnet, kovan, goerli, sepolia, mainnet, github,
      docs, documentation, gas, gas fee, gas fees, gas limit, solidity, deploy, deployed, code, frontend, ui, interface, audit, audits,
      exploit, hack, hacked, vulnerability, seed phrase, private key, bridge, bridged, oracle, oracles
    `),
  },
  {
    topic: 'Technical Discussions and Support',
    weight: 1,
    keywords: list(`
      help, issue, issues, problem, problems, fix, fixed, address, function, transaction, transactions, tx, app, website, connect,
      connected, install, update, upgrade, support, working, click
    `),
  },
  {
    topic: 'Community and Communication',
    weight: 2,
    keywords: list(`
      discord, telegram, twitter, reddit, community call, ama, meetup, newsletter, podcast, announcement, announcements, governance, proposal,
      proposals, vote, votes, voting, snapshot, forum, delegate, delegates, dao, gm, gn, welcome, hello, hi, hey, thanks, thank, good morning,
      moderator, moderators, mod, mods, admin, scammer, scammers, community, spam
    `),
  },
  {
    topic: 'Community and Communication',
    weight: 1,
    keywords: list(
      'everyone, guys, team, join, channel, question, questions, server, people, friends, event, blog, post, link, congrats, sir',
    ),
  },
];

/** Topic -> the words and phrases that name it. Cash tags (`$AAVE`) and hash tags name topics of their own. */
export const MID_LEVEL_RULES: Readonly<Record<string, readonly string[]>> = {
  'governance proposals': list('proposal, proposals, aip, aips, governance, snapshot vote'),
  voting: list('vote, votes, voting, voted, quorum, delegate, delegates, delegation'),
  treasury: list('treasury, grants, grant, budget'),
  'token swap': list('token swap, migration, migrate, migrated'),
  staking: list('stake, staking, staked, unstake, unstaking, validator, validators'),
  restaking: list('restake, restaking, restaked, avs'),
  'yield rates': list('apy, apr, yield, yields, interest rate, interest rates'),
  lending: list('lend, lending, lender, lenders, supply cap, deposit, deposits'),
  borrowing: list('borrow, borrowing, borrowed, loan, loans, debt'),
  liquidations: list('liquidation, liquidations, liquidated, liquidate, health factor'),
  'flash loans': list('flash loan, flash loans, flashloan, flashloans'),
  'liquidity pools': list('liquidity, liquidity pool, liquidity pools, lp, amm, impermanent loss'),
  stablecoins: list('stablecoin, stablecoins, usdc, usdt, dai, gho, usde, frax, lusd'),
  'depeg risk': list('depeg, depegged, depegging, depegs'),
  'gas fees': list('gas, gas fee, gas fees, gwei'),
  wallets: list('wallet, wallets, metamask, ledger, trezor, walletconnect, seed phrase, private key'),
  'stuck transactions': list('stuck, pending, reverted, revert, transaction failed, tx failed'),
  bridges: list('bridge, bridges, bridged, bridging'),
  'layer 2': list('arbitrum, optimism, polygon, zksync, starknet, layer 2, l2, rollup, rollups'),
  'security incidents': list('hack, hacked, exploit, exploited, drained, attack, vulnerability, reentrancy'),
  audits: list('audit, audits, audited, auditor, auditors'),
  scams: list('scam, scams, scammer, scammers, phishing, rug, rugpull, rugged, impersonator, honeypot'),
  airdrops: list('airdrop, airdrops, airdropped, claim, claimed, claiming'),
  oracles: list('oracle, oracles, price feed, price feeds, chainlink'),
  'developer tools': list(
    'api, sdk, subgraph, rpc, abi, solidity, github, docs, documentation, testnet, kovan, goerli, sepolia',
  ),
  'interface issues': list('ui, frontend, interface, website, dapp, bug, bugs, error, errors'),
  listings: list('listing, listed, binance, coinbase, kraken'),
  price: list('price, prices, ath, chart, charts, market cap, mcap, moon, pump, dump, dip'),
  'trading and leverage': list(
    'leverage, longs, shorts, going long, going short, trading, trader, perp, perps',
  ),
  whales: list('whale, whales'),
  regulation: list('the sec, regulation, regulator, regulators, kyc, aml, tax, taxes, lawsuit'),
  nfts: list('nft, nfts'),
  'community calls': list('community call, ama, meetup, podcast'),
  greetings: list('gm, gn, hello, hi, hey, good morning, welcome'),
  jobs: list('hiring, job, jobs, internship, cv'),
};
