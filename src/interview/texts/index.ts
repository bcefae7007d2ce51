export { textsOf, wording } from './texts';
