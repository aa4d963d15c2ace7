// SPDX-License-Identifier: Apache-2.0
// Stand-ins for oracles of lending markets and for what they read: they compute and answer as the real ones do.
pragma solidity ^0.8.20;

interface Answering { function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80); }
interface Converting { function convertToAssets(uint256 shares) external view returns (uint256); }
interface Priced { function price() external view returns (uint256); }

contract Feed {
  uint8 public immutable decimals;
  string public description;
  int256 public answer;
  address public owner = address(0xacc);
  constructor(uint8 decimals_, string memory description_, int256 answer_) { decimals = decimals_; description = description_; answer = answer_; }
  function set(int256 to) external { answer = to; }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) { return (1, answer, block.timestamp, block.timestamp, 1); }
}

/** The proxy of a feed, with the bounds of its own aggregator. */
contract ProxyFeed is Feed {
  int192 public constant minAnswer = 1;
  int192 public constant maxAnswer = 1e18;
  uint16 public constant phaseId = 4;
  constructor(uint8 decimals_, string memory description_, int256 answer_) Feed(decimals_, description_, answer_) {}
  function aggregator() external view returns (address) { return address(this); }
}

contract CapStable {
  Answering public immutable ASSET_TO_USD_AGGREGATOR;
  int256 public immutable getPriceCap;
  uint8 public constant decimals = 8;
  string public constant description = "Capped USDC / USD";
  constructor(Answering feed, int256 cap) { ASSET_TO_USD_AGGREGATOR = feed; getPriceCap = cap; }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    (, int256 answer,,,) = ASSET_TO_USD_AGGREGATOR.latestRoundData();
    return (0, answer > getPriceCap ? getPriceCap : answer, 0, block.timestamp, 0);
  }
}

contract PendleLinear {
  address public immutable PT = address(0x77);
  uint256 public immutable maturity;
  uint256 public immutable baseDiscountPerYear;
  uint8 public constant decimals = 18;
  constructor(uint256 maturity_, uint256 discount) { maturity = maturity_; baseDiscountPerYear = discount; }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    uint256 left = maturity > block.timestamp ? maturity - block.timestamp : 0;
    return (0, int256(1e18 - left * baseDiscountPerYear / 365 days), 0, 0, 0);
  }
}

contract ShareToken {
  string public symbol;
  uint8 public immutable decimals;
  address public immutable asset;
  uint256 public immutable rate;
  constructor(string memory symbol_, uint8 decimals_, address asset_, uint256 rate_) { symbol = symbol_; decimals = decimals_; asset = asset_; rate = rate_; }
  function convertToAssets(uint256 shares) external view returns (uint256) { return shares * rate / 1e18; }
}

contract OracleV2 {
  address public BASE_VAULT; address public QUOTE_VAULT;
  uint256 public BASE_VAULT_CONVERSION_SAMPLE; uint256 public QUOTE_VAULT_CONVERSION_SAMPLE;
  address public BASE_FEED_1; address public BASE_FEED_2; address public QUOTE_FEED_1; address public QUOTE_FEED_2;
  uint256 public SCALE_FACTOR;
  constructor(address[2] memory vaults, uint256[2] memory samples, address[4] memory feeds, uint256 scale) {
    (BASE_VAULT, QUOTE_VAULT) = (vaults[0], vaults[1]);
    (BASE_VAULT_CONVERSION_SAMPLE, QUOTE_VAULT_CONVERSION_SAMPLE) = (samples[0], samples[1]);
    (BASE_FEED_1, BASE_FEED_2, QUOTE_FEED_1, QUOTE_FEED_2) = (feeds[0], feeds[1], feeds[2], feeds[3]);
    SCALE_FACTOR = scale;
  }
  function assets(address vault, uint256 sample) private view returns (uint256) { return vault == address(0) ? 1 : Converting(vault).convertToAssets(sample); }
  function answer(address feed) private view returns (uint256) {
    if (feed == address(0)) return 1;
    (, int256 value,,,) = Answering(feed).latestRoundData();
    require(value >= 0, "negative answer");
    return uint256(value);
  }
  function price() external view returns (uint256) {
    return SCALE_FACTOR * assets(BASE_VAULT, BASE_VAULT_CONVERSION_SAMPLE) * answer(BASE_FEED_1) * answer(BASE_FEED_2)
      / (assets(QUOTE_VAULT, QUOTE_VAULT_CONVERSION_SAMPLE) * answer(QUOTE_FEED_1) * answer(QUOTE_FEED_2));
  }
}

contract OracleV1 {
  address public VAULT; uint256 public VAULT_CONVERSION_SAMPLE = 1e18;
  address public BASE_FEED_1; address public BASE_FEED_2; address public QUOTE_FEED_1; address public QUOTE_FEED_2;
  uint256 public SCALE_FACTOR;
  constructor(address feed, uint256 scale) { BASE_FEED_1 = feed; SCALE_FACTOR = scale; }
  function price() external view returns (uint256) {
    (, int256 answer,,,) = Answering(BASE_FEED_1).latestRoundData();
    return SCALE_FACTOR * uint256(answer);
  }
}

contract MetaOracle {
  Priced public primaryOracle; Priced public backupOracle; Priced public currentOracle;
  uint256 public deviationThreshold = 0.02e18;
  uint256 public challengeTimelockDuration = 57_600;
  uint256 public healingTimelockDuration = 43_200;
  constructor(Priced primary, Priced backup) { (primaryOracle, backupOracle, currentOracle) = (primary, backup, primary); }
  function route(Priced primary, Priced backup) external { (primaryOracle, backupOracle, currentOracle) = (primary, backup, primary); }
  function accept() external { currentOracle = backupOracle; }
  function price() external view returns (uint256) {
    try currentOracle.price() returns (uint256 value) { return value; } catch { return backupOracle.price(); }
  }
}

contract OracleFactory {
  mapping(address => bool) public isMorphoChainlinkOracleV2;
  function add(address oracle) external { isMorphoChainlinkOracleV2[oracle] = true; }
}
