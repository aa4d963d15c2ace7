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

/** Shares of a vault, and its conversions with virtual amounts. */
abstract contract Shares {
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
  event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares);
  string public name = "Vault";
  string public symbol = "vUSD";
  address public curator = address(0xc0);
  Token public immutable ASSET;
  uint8 public immutable decimals;
  uint256 internal immutable va;
  uint256 internal immutable vs;
  uint256 internal minted;
  mapping(address => uint256) public balanceOf;

  constructor(Token asset_, uint8 decimals_, uint256 va_, uint256 vs_) { ASSET = asset_; decimals = decimals_; va = va_; vs = vs_; }
  function asset() external view returns (address) { return address(ASSET); }
  function totalSupply() public view virtual returns (uint256) { return minted; }
  function mint(address to, uint256 shares) internal { minted += shares; balanceOf[to] += shares; emit Transfer(address(0), to, shares); }
  function burn(address from, uint256 shares) internal { minted -= shares; balanceOf[from] -= shares; emit Transfer(from, address(0), shares); }
  function sharesOf(uint256 assets, uint256 supply, uint256 total) internal view returns (uint256) { return assets * (supply + vs) / (total + va); }
  function sharesUp(uint256 assets, uint256 supply, uint256 total) internal view returns (uint256) { return (assets * (supply + vs) + total + va - 1) / (total + va); }
  function assetsOf(uint256 shares, uint256 supply, uint256 total) internal view returns (uint256) { return shares * (total + va) / (supply + vs); }
}

/** Books gains, losses and fees with every interaction. */
abstract contract Booked is Shares {
  event AccrueInterest(uint256 newTotalAssets, uint256 feeShares);
  event UpdateLastTotalAssets(uint256 updatedTotalAssets);
  uint256 public lastTotalAssets;
  uint96 public fee;
  address public feeRecipient = address(0xfee);

  function real() public view virtual returns (uint256 assets);
  function quoted() public view virtual returns (uint256 assets, uint256 lost) { return (real(), 0); }
  function setFee(uint96 to) external { settle(); fee = to; }
  function totalAssets() external view returns (uint256 assets) { (assets,) = quoted(); }
  function pendingFee() internal view returns (uint256 shares, uint256 assets, uint256 lost) {
    (assets, lost) = quoted();
    uint256 gain = assets > lastTotalAssets ? assets - lastTotalAssets : 0;
    uint256 feeAssets = gain * fee / 1e18;
    shares = sharesOf(feeAssets, minted, assets - feeAssets);
  }
  function convertToAssets(uint256 shares) external view returns (uint256) {
    (uint256 more, uint256 assets,) = pendingFee();
    return assetsOf(shares, minted + more, assets);
  }
  function book(uint256 lost) internal virtual {}
  function bookTotal(uint256 assets) internal { lastTotalAssets = assets; emit UpdateLastTotalAssets(assets); }
  function settle() public returns (uint256 assets) {
    uint256 shares; uint256 lost;
    (shares, assets, lost) = pendingFee();
    bookTotal(assets);
    book(lost);
    if (shares > 0) mint(feeRecipient, shares);
    emit AccrueInterest(assets, shares);
  }
}

/** The loss that a vault keeps out of its price. */
function keptLoss(uint256 own, uint256 last, uint256 lost) pure returns (uint256) { return own < last - lost ? last - own : lost; }

/** Version 1.0, and 1.1 if losses are kept out of the price. */
contract MetaMorpho10 is Booked {
  MorphoBlue public immutable MORPHO;
  bytes32[] public withdrawQueue;
  mapping(bytes32 => uint256) internal caps;

  constructor(Token asset_, uint8 assetDecimals, MorphoBlue morpho)
    Shares(asset_, assetDecimals < 18 ? 18 : assetDecimals, 1, 10 ** (assetDecimals < 18 ? 18 - assetDecimals : 0)) { MORPHO = morpho; }
  function withdrawQueueLength() external view returns (uint256) { return withdrawQueue.length; }
  function supplyQueueLength() external view returns (uint256) { return withdrawQueue.length; }
  function supplyQueue(uint256 i) external view returns (bytes32) { return withdrawQueue[i]; }
  function setQueue(bytes32[] calldata ids) external { withdrawQueue = ids; for (uint256 i = 0; i < ids.length; i++) caps[ids[i]] = 1e30; }
  function config(bytes32 id) external view returns (uint184, bool, uint64) { return (uint184(caps[id]), caps[id] > 0, removableAt[id]); }
  struct Pending { uint192 value; uint64 validAt; }
  struct PendingAddress { address value; uint64 validAt; }
  Pending public pendingTimelock;
  PendingAddress public pendingGuardian;
  address public pendingOwner;
  mapping(bytes32 => Pending) public pendingCap;
  mapping(bytes32 => uint64) internal removableAt;
  function submitTimelock(uint192 value, uint64 wait) external { pendingTimelock = Pending(value, uint64(block.timestamp) + wait); }
  function submitGuardian(address value, uint64 wait) external { pendingGuardian = PendingAddress(value, uint64(block.timestamp) + wait); }
  function transferOwnership(address to) external { pendingOwner = to; }
  function submitCap(bytes32 id, uint192 value, uint64 wait) external { pendingCap[id] = Pending(value, uint64(block.timestamp) + wait); }
  function submitMarketRemoval(bytes32 id, uint64 wait) external { removableAt[id] = uint64(block.timestamp) + wait; }
  mapping(address => bool) public isAllocator;
  function setIsAllocator(address account, bool to) external { isAllocator[account] = to; }
  function real() public view override returns (uint256 assets) {
    for (uint256 i = 0; i < withdrawQueue.length; i++) {
      (uint256 shares,,) = MORPHO.position(withdrawQueue[i], address(this));
      assets += MORPHO.expected(withdrawQueue[i], shares);
    }
  }
  function deposit(uint256 assets, address owner) external returns (uint256 shares) {
    uint256 total = settle();
    shares = sharesOf(assets, minted, total);
    mint(owner, shares);
    ASSET.move(msg.sender, address(this), assets);
    emit Deposit(msg.sender, owner, assets, shares);
    MORPHO.supply(withdrawQueue[0], assets, address(this));
    bookTotal(total + assets);
  }
  function withdraw(uint256 assets, address receiver) external returns (uint256 shares) {
    uint256 total = settle();
    shares = sharesUp(assets, minted, total);
    bookTotal(total - assets);
    burn(msg.sender, shares);
    MORPHO.withdraw(withdrawQueue[0], assets, receiver);
    emit Withdraw(msg.sender, receiver, msg.sender, assets, shares);
  }
}

contract MetaMorpho11 is MetaMorpho10 {
  event UpdateLostAssets(uint256 newLostAssets);
  uint256 public lostAssets;
  constructor(Token asset_, uint8 assetDecimals, MorphoBlue morpho) MetaMorpho10(asset_, assetDecimals, morpho) {}
  function quoted() public view override returns (uint256 assets, uint256 lost) {
    uint256 own = real();
    lost = keptLoss(own, lastTotalAssets, lostAssets);
    assets = own + lost;
  }
  function book(uint256 lost) internal override { lostAssets = lost; emit UpdateLostAssets(lost); }
}

interface Adapter { function realAssets() external view returns (uint256); }

contract VaultV2 is Shares {
  event Submit(bytes4 indexed selector, bytes data, uint256 executableAt);
  event AddAdapter(address indexed account);
  event Allocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change);
  event Deallocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change);
  event ForceDeallocate(address indexed sender, address adapter, uint256 assets, address indexed onBehalf, bytes32[] ids, uint256 penaltyAssets);
  event AccrueInterest(uint256 previousTotalAssets, uint256 newTotalAssets, uint256 performanceFeeShares, uint256 managementFeeShares);
  address[] public adapters;
  uint256 public stored;
  uint64 public lastUpdate = uint64(block.timestamp);
  uint64 public maxRate;
  uint96 public performanceFee;
  uint96 public managementFee;
  address public performanceFeeRecipient = address(0xfee);
  address public managementFeeRecipient = address(0xfee);
  address public liquidityAdapter;
  bytes public liquidityData;
  address public receiveSharesGate;
  address public sendSharesGate;
  address public receiveAssetsGate;
  address public sendAssetsGate;
  mapping(bytes32 => uint256) public absoluteCap;
  mapping(bytes32 => uint256) public relativeCap;
  mapping(bytes32 => uint256) public allocation;
  mapping(address => uint256) public forceDeallocatePenalty;

  constructor(Token asset_, uint8 assetDecimals)
    Shares(asset_, assetDecimals < 18 ? 18 : assetDecimals, 1, 10 ** (assetDecimals < 18 ? 18 - assetDecimals : 0)) {}
  function virtualShares() external view returns (uint256) { return vs; }
  function _totalAssets() external view returns (uint128) { return uint128(stored); }
  function adaptersLength() external view returns (uint256) { return adapters.length; }
  mapping(bytes => uint256) public executableAt;
  function submit(bytes calldata data, uint256 wait) external { executableAt[data] = block.timestamp + wait; emit Submit(bytes4(data), data, block.timestamp + wait); }
  function revoke(bytes calldata data) external { executableAt[data] = 0; }
  function addAdapter(address account) external { adapters.push(account); emit AddAdapter(account); }
  function setRates(uint64 maxRate_, uint96 performance, uint96 management) external {
    settle(); maxRate = maxRate_; performanceFee = performance; managementFee = management;
  }
  function setCaps(bytes calldata idData, uint256 absolute, uint256 relative) external {
    absoluteCap[keccak256(idData)] = absolute; relativeCap[keccak256(idData)] = relative;
  }
  function setLiquidity(address adapter, bytes calldata data) external { liquidityAdapter = adapter; liquidityData = data; }
  function setPenalty(address adapter, uint256 penalty) external { forceDeallocatePenalty[adapter] = penalty; }
  function setGate(address gate) external { sendSharesGate = gate; }
  function accrueInterestView() public view returns (uint256 total, uint256 performance, uint256 management) {
    uint256 elapsed = block.timestamp - lastUpdate;
    uint256 own = ASSET.balanceOf(address(this));
    for (uint256 i = 0; i < adapters.length; i++) own += Adapter(adapters[i]).realAssets();
    uint256 top = stored + stored * elapsed * maxRate / 1e18;
    total = own < top ? own : top;
    uint256 feeP = total > stored ? (total - stored) * performanceFee / 1e18 : 0;
    uint256 feeM = total * elapsed * managementFee / 1e18;
    performance = sharesOf(feeP, minted, total - feeP - feeM);
    management = sharesOf(feeM, minted, total - feeP - feeM);
  }
  function totalAssets() external view returns (uint256 total) { (total,,) = accrueInterestView(); }
  function convertToAssets(uint256 shares) external view returns (uint256) {
    (uint256 total, uint256 performance, uint256 management) = accrueInterestView();
    return assetsOf(shares, minted + performance + management, total);
  }
  function settle() public {
    (uint256 total, uint256 performance, uint256 management) = accrueInterestView();
    emit AccrueInterest(stored, total, performance, management);
    stored = total;
    lastUpdate = uint64(block.timestamp);
    if (performance > 0) mint(performanceFeeRecipient, performance);
    if (management > 0) mint(managementFeeRecipient, management);
  }
  function deposit(uint256 assets, address owner) external {
    settle();
    uint256 shares = sharesOf(assets, minted, stored);
    ASSET.move(msg.sender, address(this), assets);
    mint(owner, shares);
    stored += assets;
    emit Deposit(msg.sender, owner, assets, shares);
    if (liquidityAdapter != address(0)) allocate(liquidityAdapter, liquidityData, assets);
  }
  function allocate(address adapter, bytes memory data, uint256 assets) public {
    ASSET.move(address(this), adapter, assets);
    MarketAdapter(adapter).allocate(data, assets);
    emit Allocate(msg.sender, adapter, assets, new bytes32[](3), int256(assets));
  }
  function withdraw(uint256 assets, address receiver) public returns (uint256 shares) {
    settle();
    shares = sharesUp(assets, minted, stored);
    uint256 idle = ASSET.balanceOf(address(this));
    if (assets > idle && liquidityAdapter != address(0)) deallocate(liquidityAdapter, liquidityData, assets - idle);
    burn(msg.sender, shares);
    stored -= assets;
    ASSET.move(address(this), receiver, assets);
    emit Withdraw(msg.sender, receiver, msg.sender, assets, shares);
  }
  function deallocate(address adapter, bytes memory data, uint256 assets) public {
    MarketAdapter(adapter).deallocate(data, assets);
    emit Deallocate(msg.sender, adapter, assets, new bytes32[](3), -int256(assets));
  }
  function forceDeallocate(address adapter, bytes memory data, uint256 assets) external {
    deallocate(adapter, data, assets);
    uint256 penalty = assets * forceDeallocatePenalty[adapter] / 1e18;
    withdraw(penalty, address(this));
    emit ForceDeallocate(msg.sender, adapter, assets, msg.sender, new bytes32[](3), penalty);
  }
}

contract MarketAdapter {
  event Submit(bytes4 indexed selector, bytes data, uint256 executableAt);
  event Allocate(bytes32 indexed marketId, uint256 newAllocation, uint256 mintedShares);
  event Deallocate(bytes32 indexed marketId, uint256 newAllocation, uint256 burnedShares);
  event BurnShares(bytes32 indexed marketId, uint256 supplyShares);
  address public immutable parentVault;
  MorphoBlue public immutable morpho;
  bytes32[] public marketIds;
  mapping(bytes32 => uint256) public supplyShares;
  constructor(address vault, MorphoBlue morpho_) { parentVault = vault; morpho = morpho_; }
  function marketIdsLength() external view returns (uint256) { return marketIds.length; }
  mapping(bytes => uint256) public executableAt;
  function submit(bytes calldata data, uint256 wait) external { executableAt[data] = block.timestamp + wait; emit Submit(bytes4(data), data, block.timestamp + wait); }
  function revoke(bytes calldata data) external { executableAt[data] = 0; }
  function allocate(bytes calldata data, uint256 assets) external {
    bytes32 id = keccak256(data);
    (uint256 before,,) = morpho.position(id, address(this));
    morpho.supply(id, assets, address(this));
    (uint256 after_,,) = morpho.position(id, address(this));
    if (supplyShares[id] == 0) marketIds.push(id);
    supplyShares[id] += after_ - before;
    emit Allocate(id, assets, after_ - before);
  }
  function deallocate(bytes calldata data, uint256 assets) external {
    bytes32 id = keccak256(data);
    uint256 burned = morpho.withdraw(id, assets, parentVault);
    supplyShares[id] -= burned;
    emit Deallocate(id, assets, burned);
  }
  function burnShares(bytes32 id) external { emit BurnShares(id, supplyShares[id]); supplyShares[id] = 0; }
  function realAssets() external view returns (uint256 assets) {
    for (uint256 i = 0; i < marketIds.length; i++) assets += morpho.expected(marketIds[i], supplyShares[marketIds[i]]);
  }
}

/** Holds shares of another vault. */
contract VaultAdapter {
  address public immutable parentVault;
  MetaMorpho10 public immutable morphoVaultV1;
  constructor(address vault, MetaMorpho10 held) { parentVault = vault; morphoVaultV1 = held; }
  function allocate(bytes calldata, uint256 assets) external { morphoVaultV1.deposit(assets, address(this)); }
  function realAssets() external view returns (uint256) { return morphoVaultV1.convertToAssets(morphoVaultV1.balanceOf(address(this))); }
}

contract PlainVault is Shares {
  constructor(Token asset_, uint8 decimals_) Shares(asset_, decimals_, 0, 0) {}
  function totalAssets() public view returns (uint256) { return ASSET.balanceOf(address(this)); }
  function convertToAssets(uint256 shares) external view returns (uint256) { return minted == 0 ? shares : shares * totalAssets() / minted; }
  function deposit(uint256 assets, address owner) external {
    mint(owner, minted == 0 ? assets : assets * minted / totalAssets());
    ASSET.move(msg.sender, address(this), assets);
  }
  function withdraw(uint256 assets) external returns (uint256 shares) {
    shares = (assets * minted + totalAssets() - 1) / totalAssets();
    burn(msg.sender, shares);
    ASSET.move(address(this), msg.sender, assets);
  }
}

/** Version 1.1's logic over other vaults. */
contract EulerEarnVault is Booked {
  event UpdateLostAssets(uint256 newLostAssets);
  address[] public withdrawQueue;
  mapping(address => bool) internal isQueued;
  mapping(address => uint256) public shares;
  uint256 public lostAssets;
  constructor(Token asset_, uint8 decimals_) Shares(asset_, decimals_, 1e6, 1e6) {}
  function EVC() external view returns (address) { return address(this); }
  function withdrawQueueLength() external view returns (uint256) { return withdrawQueue.length; }
  struct Pending { uint136 value; uint64 validAt; }
  struct PendingAddress { address value; uint64 validAt; }
  Pending public pendingTimelock;
  PendingAddress public pendingGuardian;
  address public pendingOwner;
  mapping(address => Pending) public pendingCap;
  mapping(address => uint64) internal removableAt;
  function submitTimelock(uint136 value, uint64 wait) external { pendingTimelock = Pending(value, uint64(block.timestamp) + wait); }
  function submitGuardian(address value, uint64 wait) external { pendingGuardian = PendingAddress(value, uint64(block.timestamp) + wait); }
  function transferOwnership(address to) external { pendingOwner = to; }
  function submitCap(address id, uint136 value, uint64 wait) external { pendingCap[id] = Pending(value, uint64(block.timestamp) + wait); }
  function submitMarketRemoval(address id, uint64 wait) external { removableAt[id] = uint64(block.timestamp) + wait; }
  function config(address strategy) external view returns (uint112, uint136, bool, uint64) { return (uint112(shares[strategy]), 1e30, true, removableAt[strategy]); }
  function real() public view override returns (uint256 assets) {
    for (uint256 i = 0; i < withdrawQueue.length; i++) assets += PlainVault(withdrawQueue[i]).convertToAssets(shares[withdrawQueue[i]]);
  }
  function quoted() public view override returns (uint256 assets, uint256 lost) {
    uint256 own = real();
    lost = keptLoss(own, lastTotalAssets, lostAssets);
    assets = own + lost;
  }
  function book(uint256 lost) internal override { lostAssets = lost; emit UpdateLostAssets(lost); }
  function deposit(uint256 assets, address owner, PlainVault strategy) external {
    uint256 total = settle();
    if (!isQueued[address(strategy)]) withdrawQueue.push(address(strategy));
    isQueued[address(strategy)] = true;
    uint256 own = sharesOf(assets, minted, total);
    ASSET.move(msg.sender, address(this), assets);
    mint(owner, own);
    emit Deposit(msg.sender, owner, assets, own);
    uint256 before = strategy.balanceOf(address(this));
    strategy.deposit(assets, address(this));
    shares[address(strategy)] += strategy.balanceOf(address(this)) - before;
    bookTotal(total + assets);
  }
  function withdraw(uint256 assets, address receiver, PlainVault strategy) external {
    uint256 total = settle();
    uint256 own = sharesUp(assets, minted, total);
    bookTotal(total - assets);
    shares[address(strategy)] -= strategy.withdraw(assets);
    burn(msg.sender, own);
    ASSET.move(address(this), receiver, assets);
    emit Withdraw(msg.sender, receiver, msg.sender, assets, own);
  }
}

contract YearnVault is Shares {
  struct Strategy { uint256 activation; uint256 last_report; uint256 current_debt; uint256 max_debt; }
  uint256 public totalIdle;
  uint256 public totalDebt;
  uint256 public profitUnlockingRate;
  uint256 private locked;
  address[] private queue;
  mapping(address => Strategy) public strategies;
  constructor(Token asset_, uint8 decimals_) Shares(asset_, decimals_, 0, 0) {}
  function apiVersion() external pure returns (string memory) { return "3.0.4"; }
  function get_default_queue() external view returns (address[] memory) { return queue; }
  function totalAssets() public view returns (uint256) { return totalIdle + totalDebt; }
  function totalSupply() public view override returns (uint256) { return minted - locked; }
  function convertToAssets(uint256 shares) external view returns (uint256) {
    return totalSupply() == 0 ? shares : shares * totalAssets() / totalSupply();
  }
  function deposit(uint256 assets, address owner) external {
    mint(owner, totalSupply() == 0 ? assets : assets * totalSupply() / totalAssets());
    ASSET.move(msg.sender, address(this), assets);
    totalIdle += assets;
  }
  function lend(PlainVault strategy, uint256 assets) external {
    strategy.deposit(assets, address(this));
    if (strategies[address(strategy)].activation == 0) queue.push(address(strategy));
    strategies[address(strategy)] = Strategy(1, block.timestamp, strategies[address(strategy)].current_debt + assets, type(uint256).max);
    totalIdle -= assets;
    totalDebt += assets;
  }
  function lock(uint256 shares) external { locked = shares; mint(address(this), shares); }
}

/** Answers everything with the number 1. */
contract Liar {
  fallback() external { assembly { mstore(0, 1) return(0, 32) } }
}

contract Reverting {
  fallback() external { revert("no"); }
}

/** A minimal proxy in the style of EIP-1967. */
contract Proxy1967 {
  constructor(address implementation) {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation) }
  }
  fallback() external {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
    }
  }
}

contract VaultFactory {
  event CreateMetaMorpho(address indexed metaMorpho, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt);
  event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2);
  event CreateMorphoMarketV1AdapterV2(address indexed parentVault, address indexed adapter);
  event CreateMorphoVaultV1Adapter(address indexed parentVault, address indexed vaultV1, address indexed adapter);
  mapping(address => bool) public isMetaMorpho;
  mapping(address => bool) public isVaultV2;
  function add(address vault, bool isV2) external {
    if (isV2) isVaultV2[vault] = true; else isMetaMorpho[vault] = true;
    if (isV2) emit CreateVaultV2(msg.sender, address(7), bytes32(0), vault);
    else emit CreateMetaMorpho(vault, msg.sender, msg.sender, 1 days, address(7), "Vault", "V", bytes32(0));
  }
  function adapt(address vault, address adapter) external { emit CreateMorphoMarketV1AdapterV2(vault, adapter); }
}

/** Would be of no kind by what it answers: it has a function of another kind. */
contract Ambiguous is MetaMorpho11 {
  constructor(Token asset_, uint8 assetDecimals, MorphoBlue morpho) MetaMorpho11(asset_, assetDecimals, morpho) {}
  function EVC() external view returns (address) { return address(this); }
}

contract PublicAllocator {
  struct Flow { uint128 maxIn; uint128 maxOut; }
  mapping(address => mapping(bytes32 => Flow)) public flowCaps;
  function setFlow(address vault, bytes32 id, uint128 maxIn, uint128 maxOut) external { flowCaps[vault][id] = Flow(maxIn, maxOut); }
}

/** An adapter of another kind, which only states a value. */
contract StrangeAdapter {
  uint256 public realAssets;
  constructor(uint256 value) { realAssets = value; }
}

/** Logs what is submitted to it, and does not say until when it waits. */
contract MuteAdapter is StrangeAdapter {
  event Submit(bytes4 indexed selector, bytes data, uint256 executableAt);
  constructor(uint256 value) StrangeAdapter(value) {}
  function submit(bytes calldata data) external { emit Submit(bytes4(data), data, block.timestamp); }
}

/** States one unit more than it has. */
contract Overstating is MetaMorpho10 {
  constructor(Token asset_, uint8 assetDecimals, MorphoBlue morpho) MetaMorpho10(asset_, assetDecimals, morpho) {}
  function quoted() public view override returns (uint256 assets, uint256 lost) { return (real() + 1, 0); }
}
