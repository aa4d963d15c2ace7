// SPDX-License-Identifier: Apache-2.0
// Stand-ins for feeds of all kinds: they compute and answer as the real ones do.
pragma solidity ^0.8.20;

interface Source {
  function latestAnswer() external view returns (int256);
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80);
}

abstract contract Answers {
  function latestAnswer() public view virtual returns (int256);
  function latestRoundData() external view virtual returns (uint80, int256, uint256, uint256, uint80) { return (1, latestAnswer(), 0, block.timestamp, 1); }
}

contract PlainFeed is Answers {
  uint8 public immutable decimals;
  int256 private answer;
  constructor(uint8 decimals_, int256 answer_) { decimals = decimals_; answer = answer_; }
  function latestAnswer() public view override returns (int256) { return answer; }
  function set(int256 to) external { answer = to; }
}

/** A rate that may grow at most so much since its snapshot. */
contract CapRate is Answers {
  Source public immutable BASE_TO_USD_AGGREGATOR;
  address public immutable RATIO_PROVIDER = address(0x5a);
  address public immutable ACL_MANAGER = address(0xac1);
  uint8 public constant RATIO_DECIMALS = 18;
  uint8 public constant DECIMALS = 18;
  uint8 public constant decimals = 18;
  int256 public getRatio;
  uint256 public getSnapshotRatio;
  uint256 public getSnapshotTimestamp;
  uint256 public getMaxRatioGrowthPerSecondScaled;
  constructor(Source base, int256 ratio, uint256 snapshot, uint256 at, uint256 yearlyPercent) {
    (BASE_TO_USD_AGGREGATOR, getRatio, getSnapshotRatio, getSnapshotTimestamp) = (base, ratio, snapshot, at);
    getMaxRatioGrowthPerSecondScaled = snapshot * yearlyPercent * 1e6 / 1e4 / 365 days;
  }
  function latestAnswer() public view override returns (int256) {
    int256 price = BASE_TO_USD_AGGREGATOR.latestAnswer();
    if (price <= 0 || getRatio <= 0) return 0;
    int256 top = int256(getSnapshotRatio + getMaxRatioGrowthPerSecondScaled * (block.timestamp - getSnapshotTimestamp) / 1e6);
    return price * (getRatio > top ? top : getRatio) / 1e18;
  }
}

contract CapEur is Answers {
  Source public immutable ASSET_TO_USD_AGGREGATOR;
  Source public immutable BASE_TO_USD_AGGREGATOR;
  address public immutable ACL_MANAGER = address(0xac1);
  uint8 public constant RATIO_DECIMALS = 18;
  uint8 public constant decimals = 8;
  int256 public getPriceCapRatio;
  constructor(Source asset, Source base, int256 ratio) { (ASSET_TO_USD_AGGREGATOR, BASE_TO_USD_AGGREGATOR, getPriceCapRatio) = (asset, base, ratio); }
  function latestAnswer() public view override returns (int256) {
    int256 top = BASE_TO_USD_AGGREGATOR.latestAnswer() * getPriceCapRatio / 1e18;
    int256 price = ASSET_TO_USD_AGGREGATOR.latestAnswer();
    return price > top ? top : price;
  }
}

contract CapPendle is Answers {
  Source public immutable ASSET_TO_USD_AGGREGATOR;
  address public immutable PENDLE_PRINCIPAL_TOKEN = address(0x77);
  address public immutable ACL_MANAGER = address(0xac1);
  uint8 public constant DECIMALS = 8;
  uint8 public constant decimals = 8;
  uint256 public immutable MATURITY;
  uint64 public discountRatePerYear;
  constructor(Source asset, uint256 maturity, uint64 rate) { (ASSET_TO_USD_AGGREGATOR, MATURITY, discountRatePerYear) = (asset, maturity, rate); }
  function latestAnswer() public view override returns (int256) {
    int256 price = ASSET_TO_USD_AGGREGATOR.latestAnswer();
    if (price <= 0) return 0;
    uint256 left = MATURITY > block.timestamp ? MATURITY - block.timestamp : 0;
    return int256(uint256(price) * (1e18 - left * discountRatePerYear / 365 days) / 1e18);
  }
}

contract FixedPrice is Answers {
  address public immutable ACL_MANAGER = address(0xac1);
  uint8 public constant DECIMALS = 8;
  uint8 public constant decimals = 8;
  int256 public price;
  constructor(int256 to) { price = to; }
  function latestAnswer() public view override returns (int256) { return price; }
}

contract LinearWrapper is Answers {
  Source public immutable innerOracle;
  uint8 public constant decimals = 18;
  constructor(Source inner) { innerOracle = inner; }
  function latestAnswer() public view override returns (int256 answer) { (, answer,,,) = innerOracle.latestRoundData(); }
}

contract PendleTwap is Answers {
  uint32 public constant twapDuration = 900;
  uint8 public constant baseOracleType = 1;
  uint8 public constant decimals = 18;
  Source public immutable quoteOracle;
  int256 private mean;
  constructor(Source quote, int256 mean_) { (quoteOracle, mean) = (quote, mean_); }
  function latestAnswer() public view override returns (int256) { return mean * quoteOracle.latestAnswer() / 1e8; }
}

contract RedStone is PlainFeed {
  bytes32 public getDataFeedId;
  address public immutable getPriceFeedAdapter = address(0x4ed);
  constructor(bytes32 id, int256 answer_) PlainFeed(8, answer_) { getDataFeedId = id; }
}

contract PythFeed is PlainFeed {
  bytes32 public constant priceId = bytes32(uint256(7));
  address public immutable pyth = address(0x947);
  constructor(int256 answer_) PlainFeed(8, answer_) {}
}

contract Api3Feed is PlainFeed {
  address public immutable api3ServerV1 = address(0xa13);
  bytes32 public constant dapiName = "ETH/USD";
  uint256 public constant dappId = 1;
  address public immutable owner = address(0xacc);
  constructor(int256 answer_) PlainFeed(18, answer_) {}
}

/** Answers only to those on its list. */
contract Chronicle {
  bytes32 public constant wat = "ETH/USD";
  uint8 public constant bar = 13;
  uint8 public constant decimals = 18;
  mapping(address => bool) public tolled;
  int256 private answer;
  constructor(int256 answer_) { answer = answer_; }
  function kiss(address who) external { tolled[who] = true; }
  function latestAnswer() public view returns (int256) { require(tolled[msg.sender], "NotTolled"); return answer; }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) { return (1, latestAnswer(), 0, block.timestamp, 1); }
}

contract Oval is Answers {
  uint256 public constant lockWindow = 60;
  uint256 public constant maxTraversal = 4;
  uint256 public immutable lastUnlockTime = block.timestamp;
  uint8 public constant decimals = 18;
  Source public immutable CHAINLINK_SOURCE;
  constructor(Source source) { CHAINLINK_SOURCE = source; }
  function latestAnswer() public view override returns (int256) { return CHAINLINK_SOURCE.latestAnswer() * 1e10; }
}

/** The proxy of a feed whose aggregator answers only between bounds. */
contract BoundedFeed is PlainFeed {
  int192 public immutable minAnswer;
  int192 public constant maxAnswer = 1e16;
  uint16 public constant phaseId = 2;
  constructor(int192 lowest, int256 answer_) PlainFeed(8, answer_) { minAnswer = lowest; }
  function aggregator() external view returns (address) { return address(this); }
}

/** Reads itself. */
contract Circle is Answers {
  Source public innerOracle;
  function point(Source to) external { innerOracle = to; }
  function latestAnswer() public pure override returns (int256) { return 1; }
}

/** Names its implementation through a beacon. */
contract BeaconProxy {
  constructor(address beacon) { assembly { sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, beacon) } }
}
contract Beacon {
  address public implementation;
  constructor(address to) { implementation = to; }
}

/** A proxy whose admin may replace its implementation. */
contract AdminProxy {
  constructor(address implementation, address admin) { assembly {
    sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
    sstore(0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103, admin)
  } }
  function upgrade(address to) external { assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, to) } }
  fallback() external {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
    }
  }
}

/** Deploys the proxies of 45 bytes that EIP-1167 describes. */
contract Cloner {
  event Cloned(address clone);
  function clone(address target) external returns (address made) {
    bytes memory code = abi.encodePacked(hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", target, hex"5af43d82803e903d91602b57fd5bf3");
    assembly { made := create(0, add(code, 32), mload(code)) }
    emit Cloned(made);
  }
}

contract AavePrices {
  uint256 public constant BASE_CURRENCY_UNIT = 1e8;
  mapping(address => Source) public getSourceOfAsset;
  function setSource(address asset, Source source) external { getSourceOfAsset[asset] = source; }
  function getAssetPrice(address asset) external view returns (uint256) { return uint256(getSourceOfAsset[asset].latestAnswer()); }
}
