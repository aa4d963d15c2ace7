// SPDX-License-Identifier: Apache-2.0
// Contracts that the tests deploy on a node of their own: they answer and log as the real ones do.
pragma solidity ^0.8.20;

contract Multicall3 {
  struct Call { address target; bool allowFailure; bytes callData; }
  struct Result { bool success; bytes returnData; }

  function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
      require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
    }
  }
}

contract Aggregator {
  struct Round { int256 answer; uint64 updatedAt; bool exists; }
  event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

  uint8 public immutable decimals;
  uint256 public latestRound;
  mapping(uint256 => Round) private rounds;

  constructor(uint8 decimals_) { decimals = decimals_; }

  function submit(int256[] calldata answers, uint64[] calldata times) external {
    for (uint256 i = 0; i < answers.length; i++) {
      latestRound++;
      rounds[latestRound] = Round(answers[i], times[i], true);
      emit AnswerUpdated(answers[i], latestRound, times[i]);
    }
  }

  function skip(uint256 count) external { latestRound += count; }

  function getRoundData(uint80 id) public view returns (uint80, int256, uint256, uint256, uint80) {
    Round memory round = rounds[id];
    require(round.exists, "No data present");
    return (id, round.answer, round.updatedAt, round.updatedAt, id);
  }

  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return getRoundData(uint80(latestRound));
  }
}

contract AggregatorProxy {
  uint16 public phaseId;
  mapping(uint16 => Aggregator) public phaseAggregators;

  function confirm(Aggregator aggregator) external { phaseAggregators[++phaseId] = aggregator; }

  function decimals() external view returns (uint8) { return phaseAggregators[phaseId].decimals(); }

  function lift(uint16 phase, uint80 id) private pure returns (uint80) { return (uint80(phase) << 64) | id; }

  function getRoundData(uint80 id) external view returns (uint80, int256, uint256, uint256, uint80) {
    uint16 phase = uint16(id >> 64);
    require(address(phaseAggregators[phase]) != address(0), "No data present");
    (uint80 round, int256 answer, uint256 started, uint256 updated, uint80 inRound) =
      phaseAggregators[phase].getRoundData(uint80(uint64(id)));
    return (lift(phase, round), answer, started, updated, lift(phase, inRound));
  }

  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    (uint80 round, int256 answer, uint256 started, uint256 updated, uint80 inRound) =
      phaseAggregators[phaseId].latestRoundData();
    return (lift(phaseId, round), answer, started, updated, lift(phaseId, inRound));
  }
}

contract Token {
  string public symbol;
  uint8 public immutable decimals;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);

  constructor(string memory symbol_, uint8 decimals_) { symbol = symbol_; decimals = decimals_; }

  function mint(address to, uint256 value) external {
    totalSupply += value;
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  /** Without an allowance: the tests' contracts trust each other. */
  function move(address from, address to, uint256 value) external {
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }

  function mintMany(uint256 count) external {
    for (uint256 i = 0; i < count; i++) emit Transfer(address(0), msg.sender, i);
  }
}

contract Morpho {
  struct MarketParams { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }
  struct Market {
    uint128 totalSupplyAssets; uint128 totalSupplyShares; uint128 totalBorrowAssets; uint128 totalBorrowShares;
    uint128 lastUpdate; uint128 fee;
  }
  event CreateMarket(bytes32 indexed id, MarketParams marketParams);
  mapping(bytes32 => Market) public market;
  mapping(bytes32 => MarketParams) public idToMarketParams;

  function createMarket(MarketParams calldata params) external returns (bytes32 id) {
    id = keccak256(abi.encode(params));
    idToMarketParams[id] = params;
    market[id].lastUpdate = uint128(block.timestamp);
    emit CreateMarket(id, params);
  }

  function set(bytes32 id, uint128 supplied, uint128 borrowed, uint128 fee) external {
    market[id] = Market(supplied, supplied, borrowed, borrowed, uint128(block.timestamp), fee);
  }
}

contract Vault {
  event SetCap(address indexed caller, bytes32 indexed id, uint256 cap);
  event SetFee(address indexed caller, uint256 newFee);
  event SetCurator(address indexed newCurator);
  string public name = "Test vault";
  string public symbol = "tvUSD";
  address public asset;
  address public curator;

  constructor(address asset_) { asset = asset_; }

  function setCap(bytes32 id, uint256 cap) external { emit SetCap(msg.sender, id, cap); }
  function setFee(uint256 fee) external { emit SetFee(msg.sender, fee); }
  function setCurator(address to) external { curator = to; emit SetCurator(to); }
}

contract Governor {
  event ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures,
    bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description);
  event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason);
  event VoteCastWithParams(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason, bytes params);
  event ProposalQueued(uint256 proposalId, uint256 eta);
  event ProposalExecuted(uint256 proposalId);
  event ProposalCanceled(uint256 proposalId);

  function propose(uint256 id, uint256 start, uint256 end) external {
    emit ProposalCreated(id, msg.sender, new address[](1), new uint256[](1), new string[](1), new bytes[](1), start, end, "A proposal");
  }
  function vote(uint256 id, uint8 support, uint256 weight) external { emit VoteCast(msg.sender, id, support, weight, ""); }
  function voteWithParams(uint256 id, uint8 support, uint256 weight) external {
    emit VoteCastWithParams(msg.sender, id, support, weight, "", hex"01");
  }
  function queue(uint256 id, uint256 eta) external { emit ProposalQueued(id, eta); }
  function execute(uint256 id) external { emit ProposalExecuted(id); }
  function cancel(uint256 id) external { emit ProposalCanceled(id); }
}

contract AaveDataProvider {
  struct TokenData { string symbol; address tokenAddress; }
  struct Reserve {
    uint256 decimals; uint256 ltv; uint256 threshold; uint256 bonus; uint256 reserveFactor; uint256 borrowCap; uint256 supplyCap;
    uint256 supplied; uint256 stableDebt; uint256 variableDebt; uint256 liquidityRate; uint256 borrowRate; uint256 debtCeiling;
    uint256 protocolFee; bool active; bool frozen; bool paused; bool borrowing; bool siloed; address aToken;
  }
  TokenData[] private tokens;
  mapping(address => Reserve) private reserves;

  function setReserve(string calldata symbol, address token, Reserve calldata reserve) external {
    if (reserves[token].aToken == address(0)) tokens.push(TokenData(symbol, token));
    reserves[token] = reserve;
  }
  function getAllReservesTokens() external view returns (TokenData[] memory) { return tokens; }
  function getReserveConfigurationData(address token) external view returns (
    uint256, uint256, uint256, uint256, uint256, bool, bool, bool, bool, bool
  ) {
    Reserve memory r = reserves[token];
    return (r.decimals, r.ltv, r.threshold, r.bonus, r.reserveFactor, r.ltv > 0, r.borrowing, false, r.active, r.frozen);
  }
  function getReserveCaps(address token) external view returns (uint256, uint256) {
    return (reserves[token].borrowCap, reserves[token].supplyCap);
  }
  function getReserveData(address token) external view returns (
    uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint40
  ) {
    Reserve memory r = reserves[token];
    return (0, 0, r.supplied, r.stableDebt, r.variableDebt, r.liquidityRate, r.borrowRate, 0, 0, 1e27, 1e27, uint40(block.timestamp));
  }
  function getReserveTokensAddresses(address token) external view returns (address, address, address) {
    return (reserves[token].aToken, address(0), address(0));
  }
  function getPaused(address token) external view returns (bool) { return reserves[token].paused; }
  function getSiloedBorrowing(address token) external view returns (bool) { return reserves[token].siloed; }
  function getLiquidationProtocolFee(address token) external view returns (uint256) { return reserves[token].protocolFee; }
  function getDebtCeiling(address token) external view returns (uint256) { return reserves[token].debtCeiling; }
}

contract AaveAddresses {
  address public getPoolDataProvider;
  constructor(address provider) { getPoolDataProvider = provider; }
  function replace(address provider) external { getPoolDataProvider = provider; }
}

contract AaveMarket {
  address public getPoolDataProvider;
  address public getPriceOracle;
  constructor(address provider, address oracle) { getPoolDataProvider = provider; getPriceOracle = oracle; }
}

contract AaveOracle {
  mapping(address => address) public getSourceOfAsset;
  function setSource(address asset, address source) external { getSourceOfAsset[asset] = source; }
}

contract CapAdapter {
  address public immutable ASSET_TO_USD_AGGREGATOR;
  constructor(address feed) { ASSET_TO_USD_AGGREGATOR = feed; }
}

contract MorphoOracle {
  address public immutable BASE_FEED_1;
  address public immutable BASE_FEED_2;
  address public immutable QUOTE_FEED_1;
  address public immutable QUOTE_FEED_2;
  constructor(address a, address b, address c, address d) { BASE_FEED_1 = a; BASE_FEED_2 = b; QUOTE_FEED_1 = c; QUOTE_FEED_2 = d; }
}

/** Its feeds are ids of another provider. */
contract PythOracle {
  bytes32 public constant BASE_FEED_1 = bytes32(uint256(1) << 250);
}

contract MetaVault {
  string public name = "Prime USDC";
  string public symbol = "pUSDC";
  address public immutable asset;
  address public curator;
  bytes32[] public withdrawQueue;
  constructor(address asset_, address curator_) { asset = asset_; curator = curator_; }
  function withdrawQueueLength() external view returns (uint256) { return withdrawQueue.length; }
  function enqueue(bytes32 id) external { withdrawQueue.push(id); }
  function setCurator(address to) external { curator = to; }
}

contract Made {
  constructor(bool isRefused) { require(!isRefused, "refused"); }
}

contract Factory {
  function make(uint256 count) external { for (uint256 i = 0; i < count; i++) new Made(false); }
  function tryMake() external { try new Made(true) {} catch {} }
  function makeAndFail() external { new Made(false); revert("undone"); }
  function survive() external { try this.makeAndFail() {} catch {} }
}

contract PairPool {
  event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to);

  address public immutable token0;
  address public immutable token1;

  constructor(address first, address second) { token0 = first; token1 = second; }

  function swap(uint256 in0, uint256 in1, uint256 out0, uint256 out1) external {
    emit Swap(msg.sender, in0, in1, out0, out1, msg.sender);
  }
}

contract RangePool {
  event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick);

  address public immutable token0;
  address public immutable token1;

  constructor(address first, address second) { token0 = first; token1 = second; }

  function swap(int256 amount0, int256 amount1) external {
    emit Swap(msg.sender, msg.sender, amount0, amount1, 1 << 96, 1, -5);
  }
}
