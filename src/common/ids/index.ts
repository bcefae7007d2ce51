export { hashToken, newId, newPinDigits, newToken } from './ids';
