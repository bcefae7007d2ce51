import { newPinDigits } from '../common/ids';

declare const pinBrand: unique symbol;

/** A PIN as it is compared: twelve ASCII digits. Never stored, logged or put into an error. */
export type Pin = string & { readonly [pinBrand]: true };

const DIGITS = /^\d{12}$/;
/** What people and keyboards put between digits: spaces, dashes, invisible format characters. */
const BETWEEN = /[\s\p{Pd}\p{Cf}\u2212]/gu;
/** Arabic-Indic and Persian digits; full-width ones become ASCII by NFKC. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;
/** More than a PIN can be with anything in between; a longer text is not looked at. */
const MAX_TYPED = 96;

export function newPin(): Pin {
  return newPinDigits() as Pin;
}

/** The PIN in what a person typed, or null when it is none: that is no guess, only other text. */
export function readPin(typed: string): Pin | null {
  if (typed.length > MAX_TYPED) return null;
  const digits = typed
    .normalize('NFKC')
    .replace(BETWEEN, '')
    .replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 0xf));
  return DIGITS.test(digits) ? (digits as Pin) : null;
}

/** As a person reads it: `1234-5678-9012`. */
export function shownPin(pin: Pin): string {
  return pin.replace(/\d{4}(?=\d)/g, '$&-');
}

/** As it may be kept, to tell two PINs apart: `••••-••78`. */
export function maskedPin(pin: Pin): string {
  return `••••-••${pin.slice(-2)}`;
}
