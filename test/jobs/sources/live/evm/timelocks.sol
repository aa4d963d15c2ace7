// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/** Our own stand-in for the administration of a version 2 vault of Morpho: what waits for a timelock, and what does not. */
contract TimelockedVault {
  event Submit(bytes4 indexed selector, bytes data, uint256 executableAt);
  event Accept(bytes4 indexed selector, bytes data);
  event Revoke(address indexed sender, bytes4 indexed selector, bytes data);
  event Abdicate(bytes4 indexed selector);
  event IncreaseTimelock(bytes4 indexed selector, uint256 newDuration);
  event DecreaseTimelock(bytes4 indexed selector, uint256 newDuration);
  event IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap);
  event DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap);
  event IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap);
  event DecreaseRelativeCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newRelativeCap);
  event AddAdapter(address indexed account);
  event RemoveAdapter(address indexed account);
  event SetLiquidityAdapterAndData(address indexed sender, address indexed newLiquidityAdapter, bytes indexed newLiquidityData);
  event SetMaxRate(uint256 newMaxRate);
  event SetPerformanceFee(uint256 newPerformanceFee);
  event Deallocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change);
  event ForceDeallocate(address indexed sender, address adapter, uint256 assets, address indexed onBehalf, bytes32[] ids, uint256 penaltyAssets);

  mapping(bytes4 => uint256) public timelock;
  mapping(bytes4 => bool) public abdicated;
  mapping(bytes => uint256) public executableAt;
  mapping(bytes32 => uint256) public absoluteCap;
  mapping(bytes32 => uint256) public relativeCap;
  mapping(address => uint256) public allocated;
  address[] public adapters;
  address public liquidityAdapter;
  uint256 public maxRate;
  uint256 public performanceFee;

  modifier delayed() {
    require(executableAt[msg.data] != 0 && block.timestamp >= executableAt[msg.data] && !abdicated[msg.sig]);
    executableAt[msg.data] = 0;
    emit Accept(msg.sig, msg.data);
    _;
  }

  /** A shorter timelock waits as long as what it shortens. */
  function submit(bytes calldata data) external {
    require(executableAt[data] == 0);
    bytes4 selector = bytes4(data);
    uint256 wait = timelock[selector == this.decreaseTimelock.selector ? bytes4(data[4:8]) : selector];
    executableAt[data] = block.timestamp + wait;
    emit Submit(selector, data, executableAt[data]);
  }
  function revoke(bytes calldata data) external {
    require(executableAt[data] != 0);
    executableAt[data] = 0;
    emit Revoke(msg.sender, bytes4(data), data);
  }

  function increaseTimelock(bytes4 selector, uint256 duration) external delayed { timelock[selector] = duration; emit IncreaseTimelock(selector, duration); }
  function decreaseTimelock(bytes4 selector, uint256 duration) external delayed { timelock[selector] = duration; emit DecreaseTimelock(selector, duration); }
  function abdicate(bytes4 selector) external delayed { abdicated[selector] = true; emit Abdicate(selector); }
  function increaseAbsoluteCap(bytes calldata idData, uint256 cap) external delayed { absoluteCap[keccak256(idData)] = cap; emit IncreaseAbsoluteCap(keccak256(idData), idData, cap); }
  function increaseRelativeCap(bytes calldata idData, uint256 cap) external delayed { relativeCap[keccak256(idData)] = cap; emit IncreaseRelativeCap(keccak256(idData), idData, cap); }
  function addAdapter(address account) external delayed { adapters.push(account); emit AddAdapter(account); }
  function removeAdapter(address account) external delayed {
    for (uint256 i = 0; i < adapters.length; i++) if (adapters[i] == account) { adapters[i] = adapters[adapters.length - 1]; adapters.pop(); break; }
    emit RemoveAdapter(account);
  }
  function setPerformanceFee(uint256 fee) external delayed { performanceFee = fee; emit SetPerformanceFee(fee); }

  function decreaseAbsoluteCap(bytes calldata idData, uint256 cap) external { absoluteCap[keccak256(idData)] = cap; emit DecreaseAbsoluteCap(msg.sender, keccak256(idData), idData, cap); }
  function decreaseRelativeCap(bytes calldata idData, uint256 cap) external { relativeCap[keccak256(idData)] = cap; emit DecreaseRelativeCap(msg.sender, keccak256(idData), idData, cap); }
  function setLiquidityAdapterAndData(address adapter, bytes calldata data) external { liquidityAdapter = adapter; emit SetLiquidityAdapterAndData(msg.sender, adapter, data); }
  function setMaxRate(uint256 rate) external { maxRate = rate; emit SetMaxRate(rate); }
  function give(address adapter, uint256 assets) external { allocated[adapter] += assets; }
  function deallocate(address adapter, bytes calldata, uint256 assets) external { allocated[adapter] -= assets; emit Deallocate(msg.sender, adapter, assets, new bytes32[](3), -int256(assets)); }
  function forceDeallocate(address adapter, bytes calldata, uint256 assets, address owner) external { allocated[adapter] -= assets; emit ForceDeallocate(msg.sender, adapter, assets, owner, new bytes32[](3), assets / 100); }

  function adaptersLength() external view returns (uint256) { return adapters.length; }
}

/** The same for a version 1 vault of Morpho: what tightens takes effect at once. Its market is a word, that of Euler Earn an address. */
abstract contract TimelockedCaps {
  event SubmitTimelock(uint256 newTimelock);
  event SetTimelock(address indexed caller, uint256 newTimelock);
  event RevokePendingTimelock(address indexed caller);
  struct Pending { uint192 value; uint64 validAt; }
  uint256 public timelock;
  struct PendingAddress { address value; uint64 validAt; }
  Pending public pendingTimelock;
  PendingAddress public pendingGuardian;
  address public pendingOwner;
  Pending internal pending;
  uint192 public cap;

  constructor(uint256 timelock_) { setTimelock(timelock_); }
  function setTimelock(uint256 to) internal { timelock = to; emit SetTimelock(msg.sender, to); delete pendingTimelock; }
  function submitTimelock(uint256 to) external {
    require(to != timelock && pendingTimelock.validAt == 0);
    if (to > timelock) return setTimelock(to);
    pendingTimelock = Pending(uint192(to), uint64(block.timestamp + timelock));
    emit SubmitTimelock(to);
  }
  function acceptTimelock() external { require(pendingTimelock.validAt != 0 && block.timestamp >= pendingTimelock.validAt); setTimelock(pendingTimelock.value); }
  function revokePendingTimelock() external { delete pendingTimelock; emit RevokePendingTimelock(msg.sender); }
  function submitted(uint192 to) internal virtual;
  function set(uint192 to) internal virtual { cap = to; delete pending; }
  function submitCap(uint192 to) external {
    require(to != cap && pending.validAt == 0);
    if (to < cap) return set(to);
    pending = Pending(to, uint64(block.timestamp + timelock));
    submitted(to);
  }
  function acceptCap() external { require(pending.validAt != 0 && block.timestamp >= pending.validAt); set(pending.value); }
}

contract TimelockedFirstVault is TimelockedCaps {
  event SubmitCap(address indexed caller, bytes32 indexed id, uint256 cap);
  event SetCap(address indexed caller, bytes32 indexed id, uint256 cap);
  event RevokePendingCap(address indexed caller, bytes32 indexed id);
  bytes32 constant MARKET = bytes32(uint256(0x5a));
  constructor(uint256 timelock_) TimelockedCaps(timelock_) {}
  function config(bytes32) external view returns (uint184, bool, uint64) { return (uint184(cap), true, 0); }
  function pendingCap(bytes32) external view returns (uint192, uint64) { return (pending.value, pending.validAt); }
  function submitted(uint192 to) internal override { emit SubmitCap(msg.sender, MARKET, to); }
  function set(uint192 to) internal override { super.set(to); emit SetCap(msg.sender, MARKET, to); }
  function revokePendingCap() external { delete pending; emit RevokePendingCap(msg.sender, MARKET); }
}

contract TimelockedEulerVault is TimelockedCaps {
  event SubmitCap(address indexed caller, address indexed id, uint256 cap);
  event SetCap(address indexed caller, address indexed id, uint256 cap);
  event RevokePendingCap(address indexed caller, address indexed id);
  address constant STRATEGY = address(0x5a);
  constructor(uint256 timelock_) TimelockedCaps(timelock_) {}
  function config(address) external view returns (uint112, uint136, bool, uint64) { return (0, uint136(cap), true, 0); }
  function pendingCap(address) external view returns (uint192, uint64) { return (pending.value, pending.validAt); }
  function submitted(uint192 to) internal override { emit SubmitCap(msg.sender, STRATEGY, to); }
  function set(uint192 to) internal override { super.set(to); emit SetCap(msg.sender, STRATEGY, to); }
  function revokePendingCap() external { delete pending; emit RevokePendingCap(msg.sender, STRATEGY); }
}
