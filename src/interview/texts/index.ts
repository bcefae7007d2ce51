export { type Texts, textsOf, wording } from './texts';
