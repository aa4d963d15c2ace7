// SPDX-License-Identifier: Apache-2.0
// Stand-ins for Morpho's markets and for vaults: they compute, answer and log as the real ones do, in as few lines as possible.
pragma solidity ^0.8.20;

interface Token {
  function balanceOf(address) external view returns (uint256);
  function move(address from, address to, uint256 value) external;
}

struct MarketParams { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }
struct Market {
  uint128 totalSupplyAssets; uint128 totalSupplyShares; uint128 totalBorrowAssets; uint128 totalBorrowShares;
  uint128 lastUpdate; uint128 fee;
}
struct Position { uint256 supplyShares; uint128 borrowShares; uint128 collateral; }

interface RateModel {
  function borrowRateView(MarketParams calldata params, Market calldata market) external view returns (uint256);
  function settle(MarketParams calldata params, Market calldata market) external returns (uint256);
}

contract FixedRate is RateModel {
  uint256 public rate;
  constructor(uint256 rate_) { rate = rate_; }
  function borrowRateView(MarketParams calldata, Market calldata) external view returns (uint256) { return rate; }
  function settle(MarketParams calldata, Market calldata) external view returns (uint256) { return rate; }
}

contract AdaptiveRate is RateModel {
  int256 constant WAD = 1e18;
  int256 constant YEAR = 365 days;
  mapping(bytes32 => int256) public rateAtTarget;

  function borrowRateView(MarketParams calldata params, Market calldata market) external view returns (uint256 average) {
    (average,) = rates(keccak256(abi.encode(params)), market);
  }
  function settle(MarketParams calldata params, Market calldata market) external returns (uint256 average) {
    bytes32 id = keccak256(abi.encode(params));
    (average, rateAtTarget[id]) = rates(id, market);
  }
  function rates(bytes32 id, Market calldata market) private view returns (uint256, int256) {
    int256 u = market.totalSupplyAssets == 0 ? int256(0) : int256(uint256(market.totalBorrowAssets) * 1e18 / market.totalSupplyAssets);
    int256 error = (u - 0.9e18) * WAD / (u > 0.9e18 ? int256(0.1e18) : int256(0.9e18));
    int256 start = rateAtTarget[id];
    if (start == 0) return (uint256(curve(0.04e18 / YEAR, error)), 0.04e18 / YEAR);
    int256 move = (50e18 / YEAR) * error / WAD * int256(block.timestamp - market.lastUpdate);
    if (move == 0) return (uint256(curve(start, error)), start);
    int256 end = moved(start, move);
    return (uint256(curve((start + end + 2 * moved(start, move / 2)) / 4, error)), end);
  }
  function curve(int256 target, int256 error) private pure returns (int256) {
    int256 slope = error < 0 ? int256(0.75e18) : int256(3e18);
    return (slope * error / WAD + WAD) * target / WAD;
  }
  function moved(int256 start, int256 move) private pure returns (int256 rate) {
    rate = start * power(move) / WAD;
    if (rate < 0.001e18 / YEAR) return 0.001e18 / YEAR;
    if (rate > 2e18 / YEAR) return 2e18 / YEAR;
  }
  function power(int256 x) private pure returns (int256) {
    if (x < -41446531673892822312) return 0;
    if (x >= 93859467695000404319) return 57716089161558943949701069502944508345128422502756744429568;
    int256 half = x < 0 ? -int256(346573590279972654) : int256(346573590279972654);
    int256 q = (x + half) / 693147180559945309;
    int256 r = x - q * 693147180559945309;
    int256 e = WAD + r + r * r / WAD / 2;
    return q >= 0 ? e << uint256(q) : e >> uint256(-q);
  }
}

/** Morpho without collateral: anyone may borrow, and anyone may write debt off. */
contract MorphoBlue {
  event CreateMarket(bytes32 indexed id, MarketParams marketParams);
  event Supply(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares);
  event Liquidate(bytes32 indexed id, address indexed caller, address indexed borrower, uint256 repaidAssets,
    uint256 repaidShares, uint256 seizedAssets, uint256 badDebtAssets, uint256 badDebtShares);

  mapping(bytes32 => Market) public market;
  mapping(bytes32 => MarketParams) public idToMarketParams;
  mapping(bytes32 => mapping(address => Position)) public position;

  function createMarket(MarketParams calldata params, uint128 fee) external returns (bytes32 id) {
    id = keccak256(abi.encode(params));
    idToMarketParams[id] = params;
    market[id].lastUpdate = uint128(block.timestamp);
    market[id].fee = fee;
    emit CreateMarket(id, params);
  }
  function accrue(bytes32 id) public {
    Market storage m = market[id];
    MarketParams memory params = idToMarketParams[id];
    uint256 elapsed = block.timestamp - m.lastUpdate;
    if (elapsed > 0 && params.irm != address(0)) {
      uint256 first = RateModel(params.irm).settle(params, m) * elapsed;
      uint256 second = first * first / 2e18;
      uint256 interest = uint256(m.totalBorrowAssets) * (first + second + second * first / 3e18) / 1e18;
      m.totalBorrowAssets += uint128(interest);
      m.totalSupplyAssets += uint128(interest);
      uint256 feeAssets = interest * m.fee / 1e18;
      uint256 shares = feeAssets * (uint256(m.totalSupplyShares) + 1e6) / (m.totalSupplyAssets - feeAssets + 1);
      m.totalSupplyShares += uint128(shares);
      position[id][address(this)].supplyShares += shares;
    }
    m.lastUpdate = uint128(block.timestamp);
  }
  function supply(bytes32 id, uint256 assets, address onBehalf) external {
    accrue(id);
    Market storage m = market[id];
    uint256 shares = assets * (uint256(m.totalSupplyShares) + 1e6) / (uint256(m.totalSupplyAssets) + 1);
    m.totalSupplyAssets += uint128(assets);
    m.totalSupplyShares += uint128(shares);
    position[id][onBehalf].supplyShares += shares;
    Token(idToMarketParams[id].loanToken).move(msg.sender, address(this), assets);
    emit Supply(id, msg.sender, onBehalf, assets, shares);
  }
  function withdraw(bytes32 id, uint256 assets, address receiver) external returns (uint256 shares) {
    accrue(id);
    Market storage m = market[id];
    uint256 whole = uint256(m.totalSupplyAssets) + 1;
    shares = (assets * (uint256(m.totalSupplyShares) + 1e6) + whole - 1) / whole;
    position[id][msg.sender].supplyShares -= shares;
    m.totalSupplyShares -= uint128(shares);
    m.totalSupplyAssets -= uint128(assets);
    require(m.totalBorrowAssets <= m.totalSupplyAssets, "insufficient liquidity");
    Token(idToMarketParams[id].loanToken).move(address(this), receiver, assets);
  }
  function borrow(bytes32 id, uint256 assets) external {
    accrue(id);
    market[id].totalBorrowAssets += uint128(assets);
    require(market[id].totalBorrowAssets <= market[id].totalSupplyAssets, "insufficient liquidity");
    Token(idToMarketParams[id].loanToken).move(address(this), msg.sender, assets);
  }
  function repay(bytes32 id, uint256 assets) external {
    accrue(id);
    market[id].totalBorrowAssets -= uint128(assets);
    Token(idToMarketParams[id].loanToken).move(msg.sender, address(this), assets);
  }
  function writeOff(bytes32 id, uint256 assets) external {
    accrue(id);
    market[id].totalBorrowAssets -= uint128(assets);
    market[id].totalSupplyAssets -= uint128(assets);
    emit Liquidate(id, msg.sender, msg.sender, 0, 0, 0, assets, 0);
  }
  function expected(bytes32 id, uint256 shares) public view returns (uint256) {
    Market memory m = market[id];
    MarketParams memory params = idToMarketParams[id];
    uint256 elapsed = block.timestamp - m.lastUpdate;
    if (elapsed > 0 && params.irm != address(0) && m.totalBorrowAssets > 0) {
      uint256 first = RateModel(params.irm).borrowRateView(params, m) * elapsed;
      uint256 second = first * first / 2e18;
      uint256 interest = uint256(m.totalBorrowAssets) * (first + second + second * first / 3e18) / 1e18;
      m.totalSupplyAssets += uint128(interest);
      uint256 feeAssets = interest * m.fee / 1e18;
      m.totalSupplyShares += uint128(feeAssets * (uint256(m.totalSupplyShares) + 1e6) / (m.totalSupplyAssets - feeAssets + 1));
    }
    return shares * (uint256(m.totalSupplyAssets) + 1) / (uint256(m.totalSupplyShares) + 1e6);
  }
}
