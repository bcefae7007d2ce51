import { ANSWERING } from './answering';
import { AS_PEOPLE_ARE } from './as-people-are';
import { BESIDE_ANSWERING } from './beside-answering';
import { SILENT } from './silence';
import type { Scenario } from './scenario';

/** Every candidate of the bank. */
export const SCENARIOS: readonly Scenario[] = [
  ...ANSWERING,
  ...BESIDE_ANSWERING,
  ...AS_PEOPLE_ARE,
  ...SILENT,
];
