-- Runs in an editor without a face of our own: asks the user's editor one thing, and prints the answer as a line of JSON.
-- The first line of the input, in QUESTION, is {socket, chunk, ask} as JSON.
local function tell(line)
  io.stdout:write(line, "\n")
  io.stdout:flush()
  -- Not os.exit: that would leave the folder behind which each editor makes for itself.
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
-- This one is answered also where a prompt waits for the user; any other question would wait with it.
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
