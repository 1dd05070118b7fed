class Client
  def uri(text)
    text
  end

  def request(uri)
    uri(uri.to_s) #-> use.rb:Client.uri, ? possible use.rb:Entry.to_s
  end
end

class Entry
  def to_s
    "entry"
  end
end
