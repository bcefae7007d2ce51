import { ANSWERING } from './answering';
import { BESIDE_ANSWERING } from './beside-answering';
import { SILENT } from './silence';
import type { Scenario } from './scenario';

/** Every candidate of the bank. */
export const SCENARIOS: readonly Scenario[] = [...ANSWERING, ...BESIDE_ANSWERING, ...SILENT];
