export { hashToken, newId, newPin, newToken } from './ids';
