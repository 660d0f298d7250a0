// The testing entry: a stand-in for the p4 client. Imports nothing of the main entry, so that it starts fast.
export { runP4Simulator, type SimulatorFiles } from './run-simulator.js';
export type { P4SimulatorRunnerOptions } from './simulated-runner.js';
export { createP4Simulator, type P4Simulator, type P4SimulatorRun } from './simulator.js';
export type {
  P4SimulatorAnswer,
  P4SimulatorAttack,
  P4SimulatorChange,
  P4SimulatorEvent,
  P4SimulatorFault,
  P4SimulatorFile,
  P4SimulatorIntegration,
  P4SimulatorModel,
  P4SimulatorUpload,
  P4SimulatorUser,
} from './simulator-model.js';
