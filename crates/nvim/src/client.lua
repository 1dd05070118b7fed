-- Runs in a second, headless Neovim: sends one request to the user's editor, and prints the reply as a line of JSON.
-- QUESTION holds the first line of the input, a JSON object with the fields socket, chunk and ask.
local function tell(line)
  io.stdout:write(line, "\n")
  io.stdout:flush()
  -- Not os.exit, which would leave behind the temporary directory that each Neovim creates.
  vim.cmd("qall!")
end
local function say(answer)
  tell(vim.json.encode(answer))
end
local function plain(error)
  return (tostring(error):gsub("^.-:%d+: ", ""))
end
local question = vim.json.decode(QUESTION)
local connected, channel = pcall(vim.fn.sockconnect, "pipe", question.socket, { rpc = true })
if not connected or channel == 0 then
  say({ fault = "unreachable", why = plain(channel) })
end
-- Neovim answers this request even while a prompt waits for the user. Any other request would wait until the user responds.
local asked, mode = pcall(vim.fn.rpcrequest, channel, "nvim_get_mode")
if not asked then
  say({ fault = "unreachable", why = plain(mode) })
end
if mode.blocking then
  say({ fault = "blocked", why = mode.mode })
end
local done, answer = pcall(vim.fn.rpcrequest, channel, "nvim_exec_lua", question.chunk, { question.ask })
if not done then
  say({ fault = "failed", why = plain(answer) })
end
tell(answer)
