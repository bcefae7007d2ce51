import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './api.gen';

/** The calls of the API with the types of its OpenAPI document (`npm run api:types`). */
export type ApiClient = Client<paths>;

/** A program that has this key, or the admin token. */
export function apiClient(baseUrl: string, token: string): ApiClient {
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
}
